/* engine.js - the simulator in this page: a request as text, its answer as an object. wasm/engine.h says
 * what a request is. The bytes of the WebAssembly module come from engine_wasm.js (base64, so that a page
 * on the disk can load them), or from whoever calls engineOpen(bytes). Also runs under node, for tests. */
'use strict';

/* What the C library of the module asks of its host: output, the time, and that no file is there. */
function engineHost(state) {
    const NO_FILE = 8, NO_SUCH = 44, DONE = 0;
    const view = () => new DataView(state.exports.memory.buffer);
    const write = (fd, list, count, written) => {
        let bytes = 0;
        for (let i = 0; i < count; i++) {
            const at = view().getUint32(list + 8 * i, true), length = view().getUint32(list + 8 * i + 4, true);
            state.output += new TextDecoder().decode(new Uint8Array(state.exports.memory.buffer, at, length));
            bytes += length;
        }
        view().setUint32(written, bytes, true);
        return DONE;
    };
    return {
        environ_get: () => DONE,
        environ_sizes_get: (count, bytes) => {
            view().setUint32(count, 0, true);
            view().setUint32(bytes, 0, true);
            return DONE;
        },
        clock_time_get: (clock, precision, at) => {
            view().setBigUint64(at, BigInt(Math.round(1e6 * performance.now())), true);
            return DONE;
        },
        fd_write: write,
        fd_close: () => DONE,
        fd_fdstat_get: () => NO_FILE,
        fd_fdstat_set_flags: () => NO_FILE,
        fd_prestat_get: () => NO_FILE,
        fd_prestat_dir_name: () => NO_FILE,
        fd_read: () => NO_FILE,
        fd_seek: () => NO_FILE,
        path_open: () => NO_SUCH,
        poll_oneoff: () => DONE,
        proc_exit: code => { throw new Error('the simulator ended with code ' + code + ': ' + state.output); },
    };
}

function engineOpen(bytes) {
    const state = { output: '' };
    const text = new TextEncoder();
    const instantiate = () => {
        const module = new WebAssembly.Module(bytes);
        state.exports = new WebAssembly.Instance(module, { wasi_snapshot_preview1: engineHost(state) }).exports;
        state.exports._initialize();
    };
    instantiate();
    const modules = new Map();
    const put = string => {
        const data = text.encode(string), at = state.exports.take(data.length + 1);
        const room = new Uint8Array(state.exports.memory.buffer, at, data.length + 1);
        room.set(data);
        room[data.length] = 0;
        return [at, data.length];
    };
    const keep = (name, ptx) => {
        const [nameAt] = put(name), [textAt, length] = put(ptx);
        state.exports.module(nameAt, textAt, length);
        state.exports.give(nameAt);
        state.exports.give(textAt);
    };
    const textAt = at => {
        const memory = new Uint8Array(state.exports.memory.buffer);
        return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
    };
    const answerOf = request => {
        const [at] = put(request);
        const answer = textAt(state.exports.run(at));
        state.exports.give(at);
        return answer;
    };
    /* The module's PTX under a name; a second text of that name takes the first one's place. */
    const module = (name, ptx) => {
        if (modules.get(name) !== ptx) {
            modules.set(name, ptx);
            keep(name, ptx);
        }
    };
    /* The answer's text. After a trap, which no PTX text should be able to cause, a new simulator begins. */
    const runText = request => {
        state.output = '';
        try {
            return answerOf(request);
        } catch (error) {
            const said = state.output;
            instantiate();
            modules.forEach((ptx, name) => keep(name, ptx));
            return JSON.stringify({ error: said.trim().split('\n').pop() || String(error.message) });
        }
    };
    /* The answer as an object; output: what the kernel printed and what a check found; rounded: it asked for
     * roundings that WebAssembly does not have. */
    const run = request => {
        const answer = JSON.parse(runText(request));
        answer.output = state.output;
        answer.rounded = state.exports.rounded() !== 0;
        return answer;
    };
    return { module, run, runText, gpus: JSON.parse(textAt(state.exports.gpus())) };
}

/* The kernels of a PTX text, as their mangled names. */
const engineKernels = ptx => [...ptx.matchAll(/\.entry\s+([\w$]+)/g)].map(match => match[1]);

if (typeof module !== 'undefined') {
    module.exports = { engineHost, engineOpen, engineKernels };
}
