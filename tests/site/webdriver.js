/* webdriver.js - a headless Chromium, driven over WebDriver by node alone: open pages, ask them, press keys,
 * and afterwards what they logged and what they requested. */
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');

const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));

async function openBrowser(folder) {
    const driver = spawn('chromedriver', ['--port=0', '--allowed-ips=127.0.0.1'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const port = await new Promise((found, failed) => {
        let said = '';
        driver.stdout.on('data', data => {
            said += data;
            const match = /started successfully on port (\d+)/.exec(said);
            if (match) {
                found(Number(match[1]));
            }
        });
        driver.on('exit', () => failed(new Error('chromedriver ended: ' + said)));
    });
    const call = async (method, address, body) => {
        const answer = await fetch(`http://127.0.0.1:${port}${address}`, { method, body: body && JSON.stringify(body) });
        const { value } = await answer.json();
        if (!answer.ok) {
            throw new Error(`${address.replace(/.*session\/[^/]*/, '')}: ${value.message.split('\n')[0]}`);
        }
        return value;
    };
    const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: {
        'goog:chromeOptions': { args: ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`] },
        'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' } } } });
    const session = `/session/${sessionId}`;
    /* Times of a core, not of the clock. */
    await call('POST', `${session}/goog/cdp/execute`, { cmd: 'Performance.enable', params: { timeDomain: 'threadTicks' } });
    const browser = {
        /* Seconds of a core that the page's thread has taken so far. */
        processorTime: async () => (await call('POST', `${session}/goog/cdp/execute`, { cmd: 'Performance.getMetrics', params: {} }))
            .metrics.find(metric => metric.name === 'ThreadTime').value,
        open: url => call('POST', `${session}/url`, { url }),
        /* The value of a function's text, which may be a promise. */
        ask: (script, ...args) => call('POST', `${session}/execute/sync`, { script: `return (${script})(...arguments)`, args }),
        async until(what, script, ...args) {
            for (let tries = 0; tries < 200; tries++) {
                const value = await browser.ask(script, ...args);
                if (value) {
                    return value;
                }
                await sleep(50);
            }
            throw new Error(`waited in vain: ${what}`);
        },
        press: keys => call('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keys', actions: [...keys].flatMap(value =>
            [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }] }),
        async upload(selector, file) {
            const found = await call('POST', `${session}/element`, { using: 'css selector', value: selector });
            await call('POST', `${session}/element/${Object.values(found)[0]}/value`, { text: file });
        },
        width: pixels => call('POST', `${session}/goog/cdp/execute`, { cmd: 'Emulation.setDeviceMetricsOverride',
            params: { width: pixels, height: 800, deviceScaleFactor: 1, mobile: false } }),
        cdp: (cmd, params) => call('POST', `${session}/goog/cdp/execute`, { cmd, params }),
        logged: async () => (await call('POST', `${session}/se/log`, { type: 'browser' })).filter(entry => entry.level === 'SEVERE'),
        requested: async () => (await call('POST', `${session}/se/log`, { type: 'performance' }))
            .map(entry => JSON.parse(entry.message).message).filter(event => event.method === 'Network.requestWillBeSent')
            .map(event => event.params.request.url),
        async close() {
            await call('DELETE', session).catch(() => {});
            driver.removeAllListeners('exit');
            driver.kill();
        },
    };
    return browser;
}

/* The site from a server on this computer; bytes: how many it has sent. */
async function serve(folder) {
    const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };
    const server = { bytes: 0 };
    const listening = http.createServer((request, response) => {
        const file = path.join(folder, path.normalize(new URL(request.url, 'http://x').pathname));
        if (file.endsWith('favicon.ico') || !fs.existsSync(file)) {
            response.writeHead(file.endsWith('favicon.ico') ? 204 : 404);
            response.end();
            return;
        }
        const data = fs.readFileSync(file);
        server.bytes += data.length;
        response.writeHead(200, { 'content-type': types[path.extname(file)] || 'text/plain' });
        response.end(data);
    });
    await new Promise(ready => listening.listen(0, '127.0.0.1', ready));
    server.url = `http://127.0.0.1:${listening.address().port}/`;
    server.close = () => listening.close();
    return server;
}

module.exports = { openBrowser, serve, sleep };
