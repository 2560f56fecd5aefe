/* figure.js - figures that launch a lesson's kernel anew when a control moves. A figure's script, beside its
 * lesson (stepNN_name/figures/NAME.js), fills course.figures['NN-NAME'] with
 *
 *     question     what the reader is asked before anything is shown; of row `asked` of rows()
 *     controls     [{ name, label, min, max, value }] or [{ name, label, choices: [[value, text], ...] }];
 *                  choices may be a function of the GPUs (engine.gpus)
 *     request(v)   the launch, as wasm/engine.h describes it; v: the controls' values. v.kernel(pattern)
 *                  finds a kernel's mangled name, v.gpus are the GPUs
 *     rows(v, launch, answer)   [[what, predicted, counted], ...]: predicted by the script from the lesson's
 *                  rule alone, counted by the simulator
 *     draw(v, launch)   an SVG element, or nothing; optional
 *     heading      'computed', where the simulator computes rather than counts; optional */
'use strict';

/* ---- arithmetic of the lessons --------------------------------------------------------------- */

/* The different 32-byte sectors that accesses of so many bytes touch. */
function sectorsOf(addresses, bytes) {
    const touched = new Set();
    for (const address of addresses) {
        for (let at = Math.floor(address / 32); at <= Math.floor((address + bytes - 1) / 32); at++) {
            touched.add(at);
        }
    }
    return touched.size;
}
const lanes = Array.from({ length: 32 }, (_, lane) => lane);
const ratio = (part, whole) => (whole > 0 ? part / whole : 0);

/* The warps of a block over a grid of elements: visit(list of [x, y] of its threads). */
function eachWarp(grid, block, visit) {
    const threads = block[0] * block[1];
    for (let by = 0; by < grid[1]; by++) {
        for (let bx = 0; bx < grid[0]; bx++) {
            for (let first = 0; first < threads; first += 32) {
                const warp = [];
                for (let t = first; t < Math.min(first + 32, threads); t++) {
                    warp.push([bx * block[0] + t % block[0], by * block[1] + Math.floor(t / block[0])]);
                }
                visit(warp);
            }
        }
    }
}

/* "=5", "+100,4", "1f,2f": a record's list of 32 numbers (report/page/README.md). */
function lanesOfText(text) {
    const [first, step] = text.slice(1).split(',');
    if (text[0] === '=') {
        return lanes.map(() => parseInt(text.slice(1), 16));
    }
    return text[0] === '+' ? lanes.map(lane => parseInt(first, 16) + lane * Number(step))
        : text.split(',').map(word => (word === '' ? null : parseInt(word, 16)));
}

/* ---- drawing ---------------------------------------------------------------------------------- */

function drawing(width, height, title) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    svg.setAttribute('width', width);
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', title);
    return svg;
}
function shape(svg, tag, attributes, text) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) {
        made.setAttribute(name, value);
    }
    made.textContent = text || '';
    svg.append(made);
    return made;
}

/* The words that 32 lanes read of shared memory: bank by column, lane by row. */
function drawBanks(words, title) {
    const svg = drawing(32 * 14 + 60, 32 * 7 + 20, title);
    shape(svg, 'text', { x: 0, y: 11 }, 'bank');
    lanes.filter(bank => bank % 4 === 0).forEach(bank => shape(svg, 'text', { x: 56 + bank * 14, y: 11 }, String(bank)));
    words.forEach((word, lane) => {
        shape(svg, 'rect', { x: 54, y: 16 + lane * 7, width: 32 * 14, height: 6, fill: 'var(--panel)' });
        shape(svg, 'rect', { x: 54 + word % 32 * 14, y: 16 + lane * 7, width: 13, height: 6, fill: 'var(--accent)' });
    });
    shape(svg, 'text', { x: 0, y: 24 }, 'lane 0');
    shape(svg, 'text', { x: 0, y: 22 + 31 * 7 }, 'lane 31');
    return svg;
}

/* Which bytes of which sectors the 32 lanes of a request want: 8 sectors a row. */
function drawRequest(addresses, bytes, title) {
    const wanted = addresses.filter(address => address !== null);
    const from = Math.floor(Math.min(...wanted) / 32), last = Math.floor((Math.max(...wanted) + bytes - 1) / 32);
    const rows = Math.min(16, Math.ceil((last - from + 1) / 8)), svg = drawing(680, rows * 22 + 4, title);
    const touched = new Set();
    wanted.forEach(address => {
        for (let at = address; at < address + bytes; at += 32) {
            touched.add(Math.floor(at / 32) - from);
        }
    });
    for (let sector = 0; sector < rows * 8; sector++) {
        const x = sector % 8 * 84 + 2, y = Math.floor(sector / 8) * 22 + 2;
        shape(svg, 'rect', { x, y, width: 80, height: 18, fill: touched.has(sector) ? 'var(--line)' : 'none', stroke: 'var(--faint)' });
    }
    wanted.forEach(address => {
        const at = address - from * 32, sector = Math.floor(at / 32);
        if (sector < rows * 8) {
            shape(svg, 'rect', { x: sector % 8 * 84 + 2 + at % 32 * 2.5, y: Math.floor(sector / 8) * 22 + 4,
                width: Math.max(1.5, Math.min(bytes, 32 - at % 32) * 2.5 - 0.8), height: 14, fill: 'var(--accent)' });
        }
    });
    return svg;
}

/* ---- the simulator ---------------------------------------------------------------------------- */

let simulator;
function openSimulator() {
    if (!simulator) {
        simulator = engineOpen(Uint8Array.from(atob(course.engine), character => character.charCodeAt(0)));
    }
    return simulator;
}

/* ---- state in a link -------------------------------------------------------------------------- */

async function packed(object) {
    const stream = new Blob([JSON.stringify(object)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let text = '';
    bytes.forEach(byte => { text += String.fromCharCode(byte); });
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), character => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return JSON.parse(await new Response(stream).text());
}

/* ---- a figure --------------------------------------------------------------------------------- */

const choicesOf = (control, gpus) => (typeof control.choices === 'function' ? control.choices(gpus) : control.choices);

function makeControl(control, id, moved) {
    const choices = choicesOf(control, openSimulator().gpus);
    const value = element('output', { for: id }), text = element('span', {}, control.label);
    let input;
    if (choices) {
        input = element('select', { id }, ...choices.map(([key, words]) => element('option', { value: key }, words)));
        input.value = control.value === undefined ? choices[0][0] : control.value;
    } else {
        input = element('input', { id, type: 'range', min: control.min, max: control.max, step: control.step || 1,
            value: control.value });
    }
    const show = () => { value.textContent = choices ? '' : input.value; };
    input.addEventListener('input', () => { show(); moved(); });
    show();
    return { input, show, label: element('label', { for: id }, text, input, value) };
}

function tableOf(rows, heading) {
    const number = value => (typeof value !== 'number' ? String(value)
        : Number.isInteger(value) ? value.toLocaleString('en-US') : value.toFixed(2));
    return element('table', {},
        element('thead', {}, element('tr', {}, ...['', 'predicted', heading, ''].map(text => text === '' ? element('td') : element('th', { scope: 'col' }, text)))),
        element('tbody', {}, ...rows.map(([what, predicted, counted]) => {
            const same = predicted === null || Math.abs(predicted - counted) < 1e-6 * Math.max(1, Math.abs(counted));
            return element('tr', {}, element('th', { scope: 'row' }, what),
                element('td', { align: 'right' }, predicted === null ? '-' : number(predicted)),
                element('td', { align: 'right', class: 'counted' }, number(counted)),
                element('td', { class: same ? 'same' : 'other' }, predicted === null ? '' : same ? 'equal' : 'differs'));
        })));
}

/* What the figure is, what it was asked, and what it has run: one object, so that its parts share it. */
async function openFigure(section, name) {
    const definition = course.figures[name], live = section.querySelector('.live');
    const figure = { name, definition, section, shown: false, ptx: course.ptx[name], request: null };
    const given = section.closest('.alone') && location.hash.startsWith('#state=') ? await unpacked(location.hash.slice(7)) : null;
    figure.kernels = engineKernels(figure.ptx);
    figure.result = element('div', { class: 'result', 'aria-live': 'polite' });
    figure.controls = definition.controls.map((control, i) => [control.name,
        makeControl(control, `${name}-${i}`, () => relaunch(figure))]);
    live.replaceChildren(element('div', { class: 'controls' }, ...figure.controls.map(([, control]) => control.label)),
        makeGuess(figure), figure.result, makeWorkshop(figure));
    if (given) {
        figure.controls.forEach(([key, control]) => { control.input.value = given.values[key]; control.show(); });
        figure.ptx = given.ptx || figure.ptx;
        figure.request = given.request || null;
        figure.shown = true;
    }
    section.figure = figure;
    relaunch(figure, figure.request);
}

function valuesOf(figure) {
    const values = { kernel: pattern => figure.kernels.find(kernel => pattern.test(kernel)), gpus: openSimulator().gpus };
    figure.controls.forEach(([key, control]) => {
        values[key] = control.input.type === 'range' ? Number(control.input.value) : control.input.value;
    });
    return values;
}

/* Runs the controls' launch, or the one that was written by hand, and shows what it counted. */
function relaunch(figure, byHand) {
    const values = valuesOf(figure), engine = openSimulator();
    figure.request = byHand || null;
    figure.last = byHand || `module ${figure.name}\n${figure.definition.request(values).trim().replace(/^ +/gm, '')}\n`;
    engine.module(figure.name, figure.ptx);
    const began = performance.now();
    figure.answer = engine.run(figure.last);
    figure.milliseconds = performance.now() - began;
    figure.values = values;
    figure.section.dataset.launches = Number(figure.section.dataset.launches || 0) + 1;
    if (!byHand) {
        figure.refresh();
    }
    if (figure.shown) {
        showAnswer(figure);
    }
}

function showAnswer(figure) {
    const answer = figure.answer;
    if (answer.error) {
        figure.result.replaceChildren(element('p', { class: 'fault' }, answer.error));
        return;
    }
    const launch = answer.launches[0], drawn = !figure.request && figure.definition.draw
        ? figure.definition.draw(figure.values, launch, answer) : null;
    const rows = figure.request ? countedRows(launch) : figure.definition.rows(figure.values, launch, answer);
    const heading = figure.request ? 'counted' : figure.definition.heading || 'counted';
    figure.rows = rows;
    figure.result.replaceChildren(element('div', { class: 'scroll' }, tableOf(rows, heading)), ...(drawn ? [drawn] : []),
        ...(answer.output ? [element('pre', {}, answer.output)] : []),
        element('p', { class: 'note' }, `Predicted by the lesson's rule; ${heading} by the simulator (profile ${answer.gpu}), ` +
            `which ran ${launch.kernel} just now in this page.` +
            (answer.rounded ? ' The kernel asks for roundings that a browser does not have: values may differ in their last bit.' : '')));
    watchWide(figure.result);
}

/* A launch of the reader's own: every count that is not 0. */
const countedRows = launch => Object.entries(launch.counters).filter(([, value]) => value > 0)
    .map(([field, value]) => [field.replaceAll('_', ' '), null, value]);

/* Predict first: the figure asks, then shows. */
function makeGuess(figure) {
    const input = element('input', { type: 'number', step: 'any', 'aria-label': 'Your prediction' });
    const verdict = element('p', { role: 'status' });
    const form = element('form', { class: 'guess' }, element('p', {}, element('strong', {}, 'Predict first. '), figure.definition.question),
        input, ' ', element('button', {}, 'Count'), ' ', element('button', { type: 'button', onclick: () => reveal() }, 'Only show'), verdict);
    const reveal = () => {
        figure.shown = true;
        showAnswer(figure);
        if (figure.answer.error || input.value === '') {
            verdict.textContent = '';
            return;
        }
        const [what, , counted] = figure.rows[figure.definition.asked || 0];
        const right = Math.abs(Number(input.value) - counted) < 0.005, said = typeof counted === 'number' ? Number(counted.toFixed(2)) : counted;
        verdict.className = right ? 'same' : 'other';
        verdict.textContent = right ? `Right: ${input.value}.` : `You said ${input.value}; counted: ${said} (${what}).`;
    };
    form.addEventListener('submit', event => { event.preventDefault(); reveal(); });
    return form;
}

/* For those who want more: the launch and the kernel as text, a link that holds them, and the block played. */
function makeWorkshop(figure) {
    const request = element('textarea', { 'aria-label': 'The launch', spellcheck: 'false', class: 'request' });
    const ptx = element('textarea', { 'aria-label': 'The kernel as PTX', spellcheck: 'false', class: 'ptx' });
    let player = element('iframe', { title: 'The launch, line by line and step by step', hidden: true });
    const link = element('a', { hidden: true }, 'Link to this state');
    const run = () => {
        figure.ptx = ptx.value;
        figure.shown = true;
        relaunch(figure, request.value);
    };
    const play = async () => {
        run();
        const launch = openSimulator().run(request.value + '\ntrace 0\n');
        if (!launch.error) {
            launch.files.forEach(file => { file.lines = (course.sources[figure.name][file.name] || '').split('\n'); });
            launch.findings = launch.output.split('\n').filter(line => line.startsWith('simt: ')).map(text => ({ text, count: 1 }));
            delete launch.output;
            await needScript('record.js');
            player = await showRecord(JSON.stringify(launch), player, element('p'));
        }
    };
    const share = async () => {
        const state = { values: figure.values, request: request.value, ptx: ptx.value === course.ptx[figure.name] ? '' : ptx.value };
        delete state.values.kernel;
        delete state.values.gpus;
        const [lesson, short] = figure.name.split('-');
        link.href = `figure.html?lesson=${lesson}&figure=${short}#state=${await packed(state)}`;
        link.hidden = false;
    };
    const details = element('details', {}, element('summary', {}, 'Change the launch or the kernel'), request, ptx,
        element('p', {}, element('button', { type: 'button', onclick: run, class: 'run' }, 'Run'), ' ',
            element('button', { type: 'button', onclick: play, class: 'play' }, 'Line by line, step by step'), ' ',
            element('button', { type: 'button', onclick: share, class: 'share' }, 'Make a link'), ' ', link), player);
    /* A control that moves writes its launch here. */
    figure.refresh = () => {
        request.value = figure.last;
        ptx.value = figure.ptx;
    };
    details.addEventListener('toggle', () => details.open && figure.refresh());
    return details;
}
