/* links.js - the files of the built site, read as text: no link leads nowhere, nothing refers to another
 * host, and the sizes hold.
 * usage: node links.js FOLDER-OF-THE-SITE */
'use strict';
const fs = require('fs');
const path = require('path');

const site = process.argv[2];
let passed = 0, failed = 0;
const check = (good, words) => {
    passed += good;
    failed += !good;
    if (!good) {
        console.log(`FAILED: ${words}`);
    }
};

const anchors = new Map();
const files = fs.readdirSync(site, { recursive: true }).filter(name => fs.statSync(path.join(site, name)).isFile());
const pages = files.filter(name => name.endsWith('.html'));
const textOf = name => fs.readFileSync(path.join(site, name), 'utf8');
for (const page of pages) {
    anchors.set(page, new Set([...textOf(page).matchAll(/\sid="([^"]*)"/g)].map(match => match[1])));
}
for (const page of pages) {
    const wrong = [];
    for (const [, to] of textOf(page).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
        const [file, anchor] = to.split('#');
        const target = file === '' ? page : file.split('?')[0];
        if (!fs.existsSync(path.join(site, target)) || (anchor && anchors.has(target) && !anchors.get(target).has(anchor))) {
            wrong.push(to);
        }
    }
    check(wrong.length === 0, `${page}: links that lead nowhere: ${[...new Set(wrong)].join(', ')}`);
    const contents = page !== 'figure.html' && !/^launches-\d+\.html$/.test(page);
    check(!contents || /<nav id="contents"/.test(textOf(page)), `${page} has no contents`);
}
/* Names of namespaces are no addresses. */
for (const name of files.filter(file => /\.(html|css|js|svg)$/.test(file))) {
    const hosts = [...textOf(name).matchAll(/(?:src|href|url\(|import|fetch\()\s*=?\s*["'(]*\s*(https?:)?\/\/[\w.]+/g)]
        .map(match => match[0]).filter(text => !text.includes('www.w3.org'));
    check(hosts.length === 0, `${name} refers to another host: ${hosts.slice(0, 3).join(', ')}`);
}
const bytes = list => list.reduce((sum, name) => sum + fs.statSync(path.join(site, name)).size, 0);
check(bytes(files) < 12e6, `the site has ${bytes(files)} bytes; it may have 12,000,000`);
console.log(`links and sizes: ${passed} passed, ${failed} failed (${pages.length} pages, ${bytes(files)} bytes)`);
process.exitCode = failed > 0 ? 1 : 0;
