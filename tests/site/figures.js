/* figures.js - every figure of the built site under node: each control is moved through its values, and
 * what the lesson's rule predicts must be what the simulator counts.
 * usage: node figures.js FOLDER-OF-THE-SITE REQUESTS     REQUESTS: the launches are written there, for the
 * native program; prints the answers' texts on standard output, and what failed on standard error */
'use strict';
const fs = require('fs');
const vm = require('vm');

const [site, requestsFile] = process.argv.slice(2);
const context = { course: { figures: {}, ptx: {}, sources: {} }, TextEncoder, TextDecoder, WebAssembly, performance, atob };
vm.createContext(context);
const load = name => vm.runInContext(fs.readFileSync(`${site}/${name}`, 'utf8'), context, name);
['engine_wasm.js', 'engine.js', 'figure.js'].forEach(load);
fs.readdirSync(site).filter(name => /^figure-.*\.js$/.test(name)).forEach(load);
const { course } = context;
const simulator = vm.runInContext('openSimulator()', context);

const choicesOf = control => vm.runInContext('choicesOf', context)(control, simulator.gpus);

/* The values that a control is moved through, beside those of the other controls' beginnings. */
function stops(control) {
    if (control.choices) {
        return choicesOf(control).map(([value]) => value);
    }
    const step = control.step || 1, list = [];
    for (let value = control.min; value <= control.max; value += step * Math.max(1, Math.floor((control.max - control.min) / step / 9))) {
        list.push(value);
    }
    return [...list, control.max];
}
const begin = control => (control.choices ? (control.value || choicesOf(control)[0][0]) : control.value);

const requests = [];
let passed = 0, failed = 0, slowest = [0, ''];
for (const [name, figure] of Object.entries(course.figures)) {
    const kernels = vm.runInContext('engineKernels', context)(course.ptx[name]);
    simulator.module(name, course.ptx[name]);
    for (const control of figure.controls) {
        for (const value of stops(control)) {
            const v = Object.fromEntries(figure.controls.map(each => [each.name, begin(each)]));
            v[control.name] = value;
            v.gpus = simulator.gpus;
            v.kernel = pattern => kernels.find(kernel => pattern.test(kernel));
            const request = `module ${name}\n${figure.request(v).trim()}\n`;
            simulator.run(request); /* the first run of new code is compiled meanwhile */
            const began = performance.now(), text = simulator.runText(request), took = performance.now() - began;
            slowest = took > slowest[0] ? [took, `${name}, ${control.name} ${value}`] : slowest;
            requests.push(request.replace(/^ +/gm, ''));
            process.stdout.write(text + '\n');
            const answer = JSON.parse(text);
            const wrong = answer.error ? [answer.error] : figure.rows(v, answer.launches[0], answer)
                .filter(([, predicted, counted]) => predicted !== null && predicted !== counted).map(row => row.join(', '));
            const expected = figure.mayDiffer === true;
            passed += wrong.length === 0 || expected;
            failed += !(wrong.length === 0 || expected);
            if (wrong.length > 0 && !expected) {
                process.stderr.write(`FAILED: ${name}, ${control.name} ${value}: ${wrong.join('; ')}\n`);
            }
        }
    }
}
fs.writeFileSync(requestsFile, requests.join('\n'));
process.stderr.write(`figures: ${passed} passed, ${failed} failed\nslowest launch: ${slowest[0].toFixed(1)} ms (${slowest[1]})\n`);
process.exitCode = failed > 0 ? 1 : 0;
