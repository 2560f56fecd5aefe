/* browser.js - the built site in a headless Chromium, from the disk and from a server of this computer, used as
 * a reader would.
 * usage: node browser.js FOLDER-OF-THE-SITE NATIVE-ENGINE FOLDER-OF-PTX FOLDER-FOR-SCRATCH FOLDER-OF-RECORDS */
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { openBrowser, serve } = require('./webdriver.js');

const [site, native, ptxFolder, scratch, records] = process.argv.slice(2).map(name => path.resolve(name));
const TAB = '\uE004', ENTER = '\uE007', RIGHT = '\uE014', ESCAPE = '\uE00C', SPACE = ' ';
let passed = 0, failed = 0;
function check(good, words) {
    passed += Boolean(good);
    failed += !good;
    if (!good) {
        console.log(`FAILED: ${words}`);
    }
}

/* What the native simulator counts for a launch of a figure. */
function nativeAnswer(name, request) {
    const ran = spawnSync(native, [`${name}=${path.join(ptxFolder, name)}.ptx`], { input: request, cwd: scratch, encoding: 'utf8' });
    return JSON.parse(ran.stdout);
}

/* ---- figures ---------------------------------------------------------------------------------- */

/* Each figure of a page: it comes into view, asks, shows, and each control moves it. */
async function moveFigures(browser, base, page) {
    await browser.open(base + page);
    const names = await browser.ask(`() => [...document.querySelectorAll('.figure')].map(figure => figure.dataset.figure)`);
    const times = [];
    for (const name of names) {
        const at = `document.querySelector('[data-figure="${name}"]')`;
        await browser.ask(`() => { ${at}.scrollIntoView(); }`);
        await browser.until(`${name} begins`, `() => ${at}.figure !== undefined`);
        check(await browser.ask(`() => ${at}.querySelector('table') === null`), `${name} shows before it has asked`);
        await browser.ask(`() => { ${at}.querySelector('.guess button[type=button]').click(); }`);
        const controls = await browser.ask(`() => ${at}.figure.controls.length`);
        for (let i = 0; i < controls; i++) {
            const before = await browser.processorTime();
            const moved = await browser.ask(`i => {
                const section = ${at}, input = section.figure.controls[i][1].input;
                const before = Number(section.dataset.launches);
                input.value = input.options ? input.options[input.options.length - 1].value
                    : Math.round((Number(input.min) + 2 * Number(input.max)) / 3 / (input.step || 1)) * (input.step || 1);
                input.dispatchEvent(new Event('input', { bubbles: true }));
                const answer = section.figure.answer;
                return { launched: Number(section.dataset.launches) - before, request: section.figure.last,
                    error: answer.error, counted: answer.error || JSON.stringify([answer.launches[0].counters, answer.values]),
                    shown: section.querySelectorAll('.counted').length, rows: section.figure.rows.length };
            }`, i);
            times.push(1000 * (await browser.processorTime() - before));
            const natively = nativeAnswer(name, moved.request), fault = natively.error && natively.error.replace(/^kernel .*: /, '');
            check(moved.launched === 1 && (fault || (moved.shown === moved.rows && moved.rows > 1)), `${name}: control ${i} moved nothing: ${moved.error}`);
            check(moved.counted.replace(/^kernel .*: /, '') === (fault || JSON.stringify([natively.launches[0].counters, natively.values])), `${name}: control ${i}: not what is counted natively`);
        }
    }
    return times;
}

/* ---- readers ---------------------------------------------------------------------------------- */

/* figure.html by keyboard alone: the first control, a prediction, its verdict. */
async function useKeyboard(browser, base) {
    await browser.open(`${base}figure.html?lesson=03&figure=stride`);
    await browser.until('the figure alone', `() => document.querySelector('.figure')?.figure !== undefined`);
    await browser.press([TAB, RIGHT]);
    check(await browser.ask(`() => document.querySelector('.figure').dataset.launches === '2'`), 'an arrow key does not move the first control');
    await browser.press([TAB, TAB, TAB, '1', '2', ENTER]);
    check(await browser.ask(`() => document.querySelector('.guess [role=status]').textContent.startsWith('Right: 12')`), 'a right prediction by keyboard is not confirmed');
    check(await browser.ask(`() => document.querySelector('.figure td.counted').textContent === '12.00' || document.querySelector('.figure td.counted').textContent === '12'`),
        '12 sectors at stride 3 are not shown');
    await browser.press([TAB, TAB, TAB, ENTER]);
    check(await browser.ask(`() => document.querySelector('.figure details').open`), 'the keyboard does not open the launch');
}

/* The launch and the kernel by hand, a link that holds them, the page of the launch. */
async function changeKernel(browser, base) {
    await browser.open(`${base}figure.html?lesson=03&figure=stride`);
    await browser.until('the figure alone', `() => document.querySelector('.figure')?.figure !== undefined`);
    await browser.ask(`() => { document.querySelector('.figure details').open = true; }`);
    await browser.until('the launch as text', `() => document.querySelector('.request').value !== ''`);
    const changed = await browser.ask(`() => {
        const request = document.querySelector('.request'), ptx = document.querySelector('.ptx');
        request.value = request.value.replace(/grid 4/, 'grid 2');
        ptx.value = ptx.value.replace(/ld\\.global\\.nc\\.f32|ld\\.global\\.f32/, '$&') + '// mine';
        document.querySelector('.run').click();
        return document.querySelector('.figure').figure.answer.launches[0].counters.warps;
    }`);
    check(changed === 16, `a grid of 2 by hand runs ${changed} warps, not 16`);
    await browser.ask(`() => { document.querySelector('.share').click(); }`);
    const link = await browser.until('the link', `() => document.querySelector('.figure details a')?.hidden === false && document.querySelector('.figure details a').href`);
    await browser.open('about:blank');
    await browser.open(link);
    const restored = await browser.until('the state of the link', `() => {
        const figure = document.querySelector('.figure')?.figure;
        return figure && figure.answer && { warps: figure.answer.launches[0].counters.warps, mine: figure.ptx.endsWith('// mine'), shown: figure.shown };
    }`);
    check(restored.warps === 16 && restored.mine && restored.shown, `a link does not hold the state: ${JSON.stringify(restored)}`);
    await browser.ask(`() => { document.querySelector('.figure details').open = true; }`);
    await browser.until('the launch as text', `() => document.querySelector('.request').value !== ''`);
    await browser.ask(`() => { document.querySelector('.play').click(); }`);
    const steps = await browser.until('the player', `() => document.querySelector('.figure iframe').contentDocument?.querySelector('#player button') && 'yes'`);
    check(steps === 'yes', 'the page of the launch has no player');
    await browser.ask(`() => { const ptx = document.querySelector('.ptx'); ptx.value = ptx.value.replaceAll('ret;', 'rot;'); document.querySelector('.run').click(); }`);
    check(await browser.ask(`() => /rot/.test(document.querySelector('.figure .fault').textContent)`), 'a mistake in the PTX is not named');
}

/* The page of a lesson's launches, reached from the lesson: what it shows is the record that the native simulator
 * has written. Returns the seconds of a core until it is drawn. */
async function openLaunches(browser, base, lesson) {
    const record = JSON.parse(fs.readFileSync(path.join(records, `${lesson}.json`), 'utf8'));
    await browser.open(`${base}${lesson}.html`);
    const before = await browser.processorTime();
    await browser.ask(`() => { document.querySelector('article > .launches a').click(); }`);
    await browser.until(`the launches of ${lesson}`, `() => document.querySelectorAll('#launches tbody tr').length > 0 && document.querySelector('#player').childElementCount > 0`);
    const after = await browser.processorTime(), seconds = after >= before ? after - before : after; /* of a new process */
    const shown = await browser.ask(`() => {
        const every = document.querySelector('#every');
        every.checked = true;
        every.dispatchEvent(new Event('change'));
        return [...document.querySelectorAll('#launches tbody tr')].map(row => [Number(row.dataset.launch),
            Number(row.querySelector('[data-counter=instructions]').dataset.value)]).sort((a, b) => a[0] - b[0]);
    }`);
    check(JSON.stringify(shown) === JSON.stringify(record.launches.map(launch => [launch.launch, launch.counters.instructions])) && shown.length > 1,
        `${lesson}: the page of launches shows other instructions than the native record`);
    await browser.ask(`() => { document.querySelector('#player > button')?.click(); }`); /* another launch of the kernel is played */
    const parts = await browser.ask(`() => [document.querySelectorAll('.access').length > 0, document.querySelector('#time-section').checkVisibility(),
        document.querySelector('#step').max > 0]`);
    check(parts.every(Boolean), `${lesson}: accesses, the time view or the player are missing: ${parts}`);
    const dark = await browser.ask(`() => { document.querySelector('#theme').click(); return document.documentElement.dataset.theme; }`);
    await browser.ask(`() => { document.querySelector('header nav a').click(); }`);
    await browser.until('the way back', `() => location.pathname.endsWith('/${lesson}.html') && document.querySelector('article > .launches') !== null`);
    check(await browser.ask(`() => document.documentElement.dataset.theme`) === dark, `${lesson}: the theme of the page of launches is not kept`);
    return seconds;
}

async function readAround(browser, base) {
    await browser.open(`${base}step03_coalescing.html`);
    await browser.ask(`() => { document.querySelector('a[href*="common-glossary.html#"]').click(); }`);
    check(await browser.until('a term', `() => document.querySelector('#meaning p')?.textContent.length > 20`), 'a term does not open');
    await browser.press([ESCAPE]);
    check(await browser.ask(`() => document.querySelector('#meaning') === null`), 'Escape does not close a term');
    await browser.press(['/', ...'bank conflict']);
    check(await browser.until('the search', `() => document.querySelectorAll('#found li').length > 3`), 'the search finds nothing');
    const before = await browser.ask(`() => document.documentElement.dataset.theme`);
    await browser.ask(`() => { document.querySelector('#theme').click(); }`);
    check(await browser.ask(`() => document.documentElement.dataset.theme`) !== before, 'the theme stays');
    check(await browser.ask(`() => document.querySelector('[rel=next]').getAttribute('href') === 'step04_divergence.html'`), 'lesson 04 does not follow lesson 03');
    const record = path.join(scratch, 'page.json');
    fs.writeFileSync(record, JSON.stringify(nativeAnswer('03-stride', fs.readFileSync(path.join(scratch, 'request'), 'utf8'))));
    await browser.open(`${base}page.html`);
    await browser.upload('#record-file', record);
    check(await browser.until('the record', `() => document.querySelector('#page-frame').contentDocument?.querySelectorAll('#launches tbody tr').length === 1`), 'a record is not shown');
    const wrong = path.join(scratch, 'wrong.json');
    fs.writeFileSync(wrong, '{"launches": 3}');
    await browser.upload('#record-file', wrong);
    check(await browser.until('the fault', `() => document.querySelector('#record-fault').textContent.includes('no record')`), 'a wrong record is not rejected');
}

/* Nothing is wider than the window, from a phone to a large screen. */
/* What tests/page/access.js computes: contrast, names, headings, what scrolls; in both themes, on a phone and a desktop. */
async function checkAccess(browser, base, pages) {
    const script = fs.readFileSync(path.join(__dirname, '../page/access.js'), 'utf8');
    for (const page of pages) {
        await browser.open(base + page);
        const figure = await browser.ask(`() => document.querySelector('.figure, .alone') !== null`);
        if (figure) {
            await browser.until(`a figure of ${page}`, `() => { const first = document.querySelector('.figure'); first?.scrollIntoView(); return first?.figure !== undefined; }`);
            await browser.ask(`() => { document.querySelector('.guess button[type=button]').click(); document.querySelector('.figure details').open = true; }`);
        }
        for (const pixels of [360, 1600]) {
            await browser.width(pixels);
            for (const theme of ['light', 'dark']) {
                const breaches = await browser.ask(`theme => {
                    document.documentElement.dataset.theme = theme;
                    return new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => { ${script} return accessBreaches(); });
                }`, theme);
                check(breaches.length === 0, `${page} at ${pixels} pixels, ${theme}: ${breaches.slice(0, 3).join('; ')}`);
            }
        }
    }
    await browser.width(1200);
}

async function checkWidths(browser, base, pages) {
    for (const pixels of [360, 768, 1600]) {
        await browser.width(pixels);
        for (const page of pages) {
            await browser.open(base + page);
            const wide = await browser.ask(`() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]`);
            check(wide[0] <= wide[1] + 1, `${page} is ${wide[0]} wide in a window of ${wide[1]}`);
        }
    }
    await browser.width(360);
    await browser.open(`${base}index.html`);
    await browser.ask(`() => { document.querySelector('#menu').click(); }`);
    check(await browser.ask(`() => document.querySelector('#contents').offsetHeight > 100`), 'the contents do not open on a phone');
    await browser.width(1200);
}

async function main() {
    const browser = await openBrowser(path.join(scratch, 'profile'));
    const server = await serve(site);
    const disk = `file://${site}/`;
    const lessons = fs.readdirSync(site).filter(name => /^step\d\d_[a-z_]+\.html$/.test(name)).sort();
    try {
        await browser.width(1200);
        await browser.open(`${server.url}index.html`);
        check(server.bytes < 300e3, `the first page loads ${server.bytes} bytes before figures; it may load 300,000`);
        const firstBytes = server.bytes;
        let times = [];
        for (const page of lessons) {
            times = times.concat(await moveFigures(browser, disk, page));
        }
        await moveFigures(browser, server.url, lessons[2]);
        const middle = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
        check(middle < 50, `a launch takes ${middle} ms of a core in the middle; it may take 50`);
        fs.writeFileSync(path.join(scratch, 'request'), await browser.ask(`() => document.querySelector('.figure').figure.last`));
        await useKeyboard(browser, disk);
        await changeKernel(browser, disk);
        const opening = [];
        for (const base of [disk, server.url]) {
            await readAround(browser, base);
            for (const lesson of base === disk ? lessons : lessons.slice(1, 3)) {
                opening.push(await openLaunches(browser, base, path.basename(lesson, '.html')));
            }
        }
        const longest = Math.max(...opening);
        check(opening.length >= 8 && longest < 1, `a page of launches takes ${longest} s of a core until it is drawn; it may take 1`);
        await checkWidths(browser, disk, ['index.html', 'common-glossary.html', 'page.html', 'figure.html?lesson=01&figure=grid', 'launches.html',
            'launches-02.html', ...lessons]);
        await checkAccess(browser, disk, ['index.html', 'step03_coalescing.html', 'launches-03.html', 'page.html', 'figure.html?lesson=05&figure=tree', 'common-glossary.html']);
        const errors = await browser.logged();
        check(errors.length === 0, `the console says: ${errors.slice(0, 3).map(entry => entry.message).join('; ')}`);
        const elsewhere = (await browser.requested()).filter(url => !url.startsWith(disk) && !url.startsWith(server.url) && !/^(data|blob|about|chrome):/.test(url));
        check(elsewhere.length === 0, `requests leave the page: ${elsewhere.slice(0, 3).join(', ')}`);
        console.log(`in Chromium: ${passed} passed, ${failed} failed (${times.length} launches, in the middle ${middle.toFixed(1)} ms of a core, ` +
            `longest ${times[times.length - 1].toFixed(1)} ms; first page ${firstBytes} bytes; ` +
                `a page of launches is drawn within ${longest.toFixed(2)} s of a core)`);
    } catch (error) {
        console.log(`FAILED: ${error.message}\nin Chromium: ${passed} passed, ${failed + 1} failed`);
        failed++;
    }
    await browser.close();
    server.close();
    process.exitCode = failed > 0 ? 1 : 0;
}

main();
