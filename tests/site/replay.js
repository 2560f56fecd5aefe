/* replay.js - replay.wasm under node: the launches of a recording, run by the simulator in WebAssembly.
 * usage: node replay.js replay.wasm RECORDING */
'use strict';
const fs = require('fs');
const { engineHost } = require('../../common/site/pages/engine.js');

const state = { output: '' };
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const host = engineHost(state);
host.proc_exit = code => {
    process.stdout.write(state.output);
    process.exit(code);
};
state.exports = new WebAssembly.Instance(module_, { wasi_snapshot_preview1: host }).exports;
state.exports._initialize();
const bytes = fs.readFileSync(process.argv[3]);
const at = state.exports.take(bytes.length);
new Uint8Array(state.exports.memory.buffer, at, bytes.length).set(bytes);
const answer = state.exports.replay(at, bytes.length);
const memory = new Uint8Array(state.exports.memory.buffer);
process.stdout.write(state.output + new TextDecoder().decode(memory.subarray(answer, memory.indexOf(0, answer))));
