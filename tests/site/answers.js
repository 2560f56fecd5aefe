/* answers.js - requests on standard input, answered by the simulator in WebAssembly, a line each: what the
 * native program of common/site/wasm/exports.c prints for the same input.
 * usage: node answers.js engine.wasm NAME=FILE.ptx ... <requests, with an empty line behind each */
'use strict';
const fs = require('fs');
const { engineOpen } = require('../../common/site/pages/engine.js');

const engine = engineOpen(fs.readFileSync(process.argv[2]));
for (const argument of process.argv.slice(3)) {
    const at = argument.indexOf('=');
    engine.module(argument.slice(0, at), fs.readFileSync(argument.slice(at + 1), 'utf8'));
}
for (const request of fs.readFileSync(0, 'utf8').split(/\n\n+/).filter(text => text.trim() !== '')) {
    process.stdout.write(engine.runText(request + '\n') + '\n');
}
