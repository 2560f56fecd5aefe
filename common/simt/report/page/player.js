// player.js - a block of the chosen launch, step by step: the warp's lanes, the instruction and its line,
// the access just made, registers and shared memory.


// A list of 32 numbers as the record writes it: "=5" all alike, "+100,4" evenly apart, else one by one.
const decoded = new Map();
function vectorOf(text) {
  let lanes = decoded.get(text);
  if (lanes) return lanes;
  if (text[0] === '=') {
    lanes = Array(32).fill(BigInt('0x' + text.slice(1)));
  } else if (text[0] === '+') {
    const [base, step] = text.slice(1).split(',');
    lanes = Array.from({length: 32}, (_, i) => BigInt.asUintN(64, BigInt('0x' + base) + BigInt(step) * BigInt(i)));
  } else {
    lanes = text.split(',').map((hex) => (hex ? BigInt('0x' + hex) : 0n));
  }
  decoded.set(text, lanes);
  return lanes;
}

// Arrays of the chosen launch by where they lie, for pointers: only those that have one name.
const arraysKnown = new WeakMap();
function arraysOf(launch) {
  if (!arraysKnown.has(launch)) {
    const arrays = new Map();
    for (const a of launch.accesses || []) {
      if (!a.begin || !a.array) continue;
      const known = arrays.get(a.begin);
      arrays.set(a.begin, {begin: BigInt('0x' + a.begin), bytes: BigInt(a.array_bytes), name: known && known.name !== a.array ? '' : a.array});
    }
    arraysKnown.set(launch, [...arrays.values()].filter((a) => a.name));
  }
  return arraysKnown.get(launch);
}
// "in + 128 bytes": a pointer into an array of the launch, or "" where it is none.
function pointerText(value, long) {
  const a = arraysOf(launchNow()).find((x) => value >= x.begin && value < x.begin + x.bytes);
  return !a ? '' : long ? `${a.name} + ${plural(Number(value - a.begin), 'byte')}` : value === a.begin ? a.name : `${a.name}+${value - a.begin}`;
}

const bits = new DataView(new ArrayBuffer(8));
const short = (x) => (Number.isInteger(x) && Math.abs(x) < 1e7 ? `${x}` : Number.isFinite(x) ? `${Number(x.toPrecision(5))}` : `${x}`);
const float32 = (raw) => { bits.setUint32(0, raw, true); return bits.getFloat32(0, true); };
// 16 bits as a half: sign, 5 bits of exponent, 10 of fraction; a bfloat16 is the upper half of a float.
function halfOf(raw) {
  const exponent = raw >>> 10 & 31, fraction = raw & 1023, sign = raw & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}
const low16 = (value) => Number(value & 0xffffn), high16 = (value) => Number(value >> 16n & 0xffffn);
function valueText(value, type) {
  bits.setBigUint64(0, BigInt.asUintN(64, value), true);
  switch (type) {
    case 'pred': return value ? 'true' : 'false';
    case 'f32': return short(bits.getFloat32(0, true));
    case 'f64': return short(bits.getFloat64(0, true));
    case 'tf32': return short(float32(Number(value & 0xffffe000n)));
    case 'f16': return short(halfOf(low16(value)));
    case 'bf16': return short(float32(low16(value) * 65536));
    case 'f16x2': return `(${short(halfOf(low16(value)))}, ${short(halfOf(high16(value)))})`;
    case 'bf16x2': return `(${short(float32(low16(value) * 65536))}, ${short(float32(high16(value) * 65536))})`;
    case 's16': return `${bits.getInt16(0, true)}`;
    case 's8': return `${bits.getInt8(0, true)}`;
    case 's32': case 'b32': case 'u32': return `${type === 'u32' ? bits.getUint32(0, true) : bits.getInt32(0, true)}`;
    case 'b64': case 'u64': case 's64': return pointerText(value, true) || (value > 0xffffffffn && value < 0xffffffff00000000n ? '0x' + value.toString(16) : `${BigInt.asIntN(64, value)}`);
    default: return `${value}`;
  }
}

// The same in a cell: at most six characters, so that 32 of them stand side by side; the whole value is
// its tooltip.
function cellText(value, type) {
  const pointer = /64$/.test(type) && type !== 'f64' ? pointerText(value, false) : '';
  if (pointer) return pointer.length <= 9 ? pointer : `+${pointer.split('+').pop()}`;
  if (/x2$/.test(type)) return `${cellText(value & 0xffffn, type.slice(0, -2))}|${cellText(value >> 16n & 0xffffn, type.slice(0, -2))}`;
  const text = valueText(value, type), number = Number(text);
  if (text.length <= 5 || type === 'pred') return text.replace('false', 'no').replace('true', 'yes');
  if (text.startsWith('0x')) return '\u2026' + text.slice(-4);
  if (!/^b?t?f\d/.test(type)) return text.length <= 6 ? text : '\u2026' + text.slice(-5);
  const short = Math.abs(number) >= 1e-3 && Math.abs(number) < 1e5 ? `${Number(number.toPrecision(Math.abs(number) < 0.1 ? 1 : 2))}` : number.toExponential(0);
  return short.replace('e+', 'e').replace(/^(-?)0\./, '$1.');
}

const KEPT_REGISTERS = 8, BANKS = 32, MOST_ROWS = 64;
let timer = 0;

const traceNow = () => (launchNow() || {}).trace;
const stepsOf = (t, warp) => t.steps.map((s, i) => i).filter((i) => t.steps[i][0] === warp);

function drawPlayer() {
  const t = traceNow(), box = byId('player');
  stop();
  if (!t) {
    const other = record.launches.find((l) => l.kernel === launchNow().kernel && l.trace);
    fill(box, element('p', {class: 'hint'}, other ? 'Another launch of this kernel was recorded: ' : 'Nothing was recorded of this kernel. SIMT_TRACE=block:warp chooses what is.'),
      ...(other ? [element('button', {type: 'button', onclick: () => choose(other)}, `play launch ${other.launch}`)] : []));
    return;
  }
  const played = t.played === undefined ? t.warps : t.played; // of the others only what they write to shared memory
  const warps = [...new Set(t.steps.map((s) => s[0]))].filter((w) => w < played).sort((a, b) => a - b);
  if (!warps.includes(chosen.warp)) chosen.warp = warps[0];
  const steps = stepsOf(t, chosen.warp);
  const gaps = gapsOf(t), part = t.steps_of_block > t.steps.length ? ` Recorded: ${count(t.steps.length)} of the block's ${count(t.steps_of_block)} steps${played < t.warps ? `: those of ${plural(played, 'warp')}, and where others write shared memory` : ''}` : '';
  const cut = !part ? '' : part + (gaps.length > 0 ? '; of what is long the beginning and the end' : '') + (t.cut === 1 || (t.cut === undefined && gaps.length === 0) ? '; up to where there was no more room.' : '.');
  const pick = element('select', {id: 'warp', onchange: (e) => changeWarp(Number(e.target.value))},
    ...warps.map((w) => element('option', {value: w, selected: w === chosen.warp}, `warp ${w}`)));
  const slider = element('input', {type: 'range', id: 'step', min: 0, max: steps.length - 1, value: Math.min(chosen.step, steps.length - 1), 'aria-label': 'step', oninput: (e) => { stop(); show(Number(e.target.value)); }});
  const button = (id, label, text, action) => element('button', {type: 'button', id, 'aria-label': label, title: label, onclick: action}, text);
  fill(box, element('p', {class: 'hint'}, `Block (${t.block.join(',')}), ${plural(t.warps, 'warp')}. Arrow keys step, Home and End go to the ends, space plays; b, l and d go to the next barrier, line and parting of lanes. A click on a line number of the source runs there.${cut}`),
    element('div', {class: 'controls'}, element('label', {}, 'warp ', pick),
      button('first', 'to the beginning', '|\u25c0', () => { stop(); show(0); }),
      button('back', 'one step back', '\u25c2', () => { stop(); show(chosen.step - 1); }),
      button('play', 'play or pause', '\u25b6', () => (timer ? stop() : play())),
      button('forward', 'one step forward', '\u25b8', () => { stop(); show(chosen.step + 1); }),
      button('last', 'to the end', '\u25b6|', () => { stop(); show(steps.length - 1); }),
      button('to-barrier', 'to the next barrier (b)', 'barrier', () => goNext(isBarrier)),
      button('to-line', 'to the next line (l)', 'line', () => goNext(isNewLine)),
      button('to-parting', 'parting: to the next branch at which lanes part (d)', 'parting', () => goNext(isParting)),
      element('label', {}, 'beside ', element('select', {id: 'beside', onchange: (e) => { chosen.beside = Number(e.target.value); show(chosen.step); }},
        element('option', {value: 0, selected: chosen.beside === 0}, 'no warp'),
        ...warps.filter((w) => w !== chosen.warp).map((w) => element('option', {value: w + 1, selected: chosen.beside === w + 1}, `warp ${w}`)))),
      element('label', {}, 'speed ', element('select', {id: 'speed'}, ...[[800, 'slow'], [250, 'medium'], [60, 'fast'], [8, 'very fast']].map(([ms, name]) => element('option', {value: ms, selected: ms === 250}, name)))),
      slider, element('output', {id: 'step-number', for: 'step'})),
    element('div', {id: 'stage'}));
  show(Math.min(chosen.step, steps.length - 1));
}

function play() {
  const again = () => {
    if (chosen.step >= stepsOf(traceNow(), chosen.warp).length - 1) { stop(); return; }
    show(chosen.step + 1);
    timer = setTimeout(again, Number(byId('speed').value));
  };
  if (chosen.step >= stepsOf(traceNow(), chosen.warp).length - 1) show(0);
  timer = setTimeout(again, 0);
  byId('play').textContent = '\u23f8';
}
function stop() {
  clearTimeout(timer);
  timer = 0;
  if (byId('play')) byId('play').textContent = '\u25b6';
}

// --- going on: to a barrier, a line, a parting of lanes; the same moment of another warp -----------
const opOf = (t, index) => t.instructions[t.steps[index][1]];
const isBarrier = (t, steps, i) => /^(@!?%p\d+ )?bar(rier)?\./.test(opOf(t, steps[i])[2]) && (i === 0 || steps[i] !== steps[i - 1]);
const isNewLine = (t, steps, i) => i > 0 && (opOf(t, steps[i])[1] !== opOf(t, steps[i - 1])[1] || opOf(t, steps[i])[0] !== opOf(t, steps[i - 1])[0]);
const isParting = (t, steps, i) => { const [, , lanes, , taken] = t.steps[steps[i]]; return taken !== 0 && taken !== lanes; };

function goNext(wanted) {
  const t = traceNow(), steps = stepsOf(t, chosen.warp);
  stop();
  for (let i = chosen.step + 1; i < steps.length; i++) {
    if (wanted(t, steps, i)) { show(i); return; }
  }
  byId('step-number').textContent = `step ${chosen.step + 1} of ${steps.length}: none behind it`;
}

// The next step at this line of the source, from the beginning again where there is none behind.
function runToLine(file, line) {
  const t = traceNow();
  if (!t) return;
  const steps = stepsOf(t, chosen.warp), at = (i) => opOf(t, steps[i])[0] === file && opOf(t, steps[i])[1] === line;
  const order = [...steps.keys()].map((k) => (k + chosen.step + 1) % steps.length);
  const found = order.find((i) => at(i) && (i === 0 || !at(i - 1)));
  if (found !== undefined) { stop(); show(found); }
}

// The last step that another warp had begun when step `index` of the block was made.
function stepBeside(t, warp, index) {
  const steps = stepsOf(t, warp), behind = steps.findIndex((i) => i > index);
  return Math.max(0, (behind < 0 ? steps.length : behind) - 1);
}

function changeWarp(warp) {
  const t = traceNow(), index = stepsOf(t, chosen.warp)[chosen.step];
  chosen.step = stepBeside(t, warp, index);
  chosen.beside = chosen.beside === warp + 1 ? 0 : chosen.beside;
  chosen.warp = warp;
  drawPlayer();
}

function besidePart(t, index) {
  const warp = chosen.beside - 1, steps = stepsOf(t, warp);
  if (chosen.beside === 0 || steps.length === 0) return [];
  const at = stepBeside(t, warp, index), step = t.steps[steps[at]];
  return [element('section', {id: 'beside-part', 'aria-label': `warp ${warp} at that moment`},
    element('p', {}, element('strong', {}, `Warp ${warp} at that moment`), `: step ${at + 1} of ${steps.length}`),
    lanesPart(t, step), element('div', {class: 'stage'}, linePart(t, step, 'line-beside'), accessPart(t, step)))];
}

// Rounds of a loop that are left out before a step of the block.
const gapsOf = (t) => t.gaps || [];
function gapPart(t, index) {
  return gapsOf(t).filter((g) => g[0] === index && g[1] === t.steps[index][0]).map(([, , steps, first, last, , line]) => element('p', {class: 'gap-note'},
    first === 0 ? `Before this step ${plural(steps, 'step')} of this warp are left out; those that write shared memory are there.`
      : `Before this step ${first === last ? `round ${count(first)}` : `rounds ${count(first)} to ${count(last)}`} of the loop at line ${line} ${first === last ? 'is' : 'are'} left out (${plural(steps, 'step')}).`));
}

// --- one step -------------------------------------------------------------------------------------
function show(number) {
  const t = traceNow(), steps = stepsOf(t, chosen.warp);
  chosen.step = Math.max(0, Math.min(number, steps.length - 1));
  writeAddress();
  byId('step').value = chosen.step;
  byId('step-number').textContent = `step ${chosen.step + 1} of ${steps.length}`;
  const index = steps[chosen.step], step = t.steps[index];
  fill(byId('stage'), ...gapPart(t, index), lanesPart(t, step), element('div', {class: 'stage'},
    linePart(t, step), accessPart(t, step)), ...besidePart(t, index), registersPart(t, steps), sharedPart(t, index));
}

function lanesPart(t, step) {
  const [, , lanes, active, taken, , , waits] = step;
  const state = Array(32).fill(null).map(() => ({name: 'off', mark: '\u00b7', words: 'have left, or do not exist'}));
  for (let i = 0; i < waits.length; i += 3) {
    for (const lane of lanesOf(waits[i]).keys()) {
      if (waits[i] >>> lane & 1) {
        const words = waits[i + 2] === 2 ? 'go on later, at' : waits[i + 2] === 1 ? 'wait for other lanes at' : 'wait at';
        state[lane] = {name: 'wait', mark: waits[i + 2] === 2 ? '\u203a' : '\u2026', words: `${words} line ${waits[i + 1]}`};
      }
    }
  }
  for (let lane = 0; lane < 32; lane++) {
    if (!(active >>> lane & 1)) continue;
    state[lane] = lanes >>> lane & 1 ? (taken >>> lane & 1 ? {name: 'jump', mark: 'J', words: 'jump'} : {name: 'run', mark: '\u25cf', words: 'execute this'})
      : {name: 'off', mark: '\u25cb', words: 'are here; their guard says no'};
  }
  const groups = new Map();
  state.forEach((s, lane) => groups.set(s.words, (groups.get(s.words) || 0) | 1 << lane));
  const summary = [...groups].map(([words, mask]) => `lanes ${laneRanges(mask)}: ${words}`).join('. ');
  return element('div', {}, element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'lanes of the warp'}, element('div', {class: 'cells', role: 'img', 'aria-label': summary},
    ...state.map((s, lane) => element('span', {class: 'lane'}, `${lane}`)),
    ...state.map((s, lane) => element('span', {class: s.name, title: `lane ${lane}: ${s.words}`}, s.mark)))),
  element('p', {class: 'hint'}, summary + '.'));
}

function linePart(t, step, id = 'now-line') {
  const [file, line, text] = t.instructions[step[1]];
  const source = file >= 0 ? record.files[file].lines : [];
  const near = (n) => element('span', {class: 'near'}, source[n - 1] !== undefined ? `${String(n).padStart(4)}  ${source[n - 1]}` : ' ');
  return element('div', {class: 'now', tabindex: 0, role: 'group', 'aria-label': 'the line and its neighbours'}, near(line - 1),
    element('mark', {id, 'data-line': line}, line > 0 ? `${String(line).padStart(4)}  ${source[line - 1] || ''}` : '(the compiler named no line)'),
    near(line + 1), element('span', {class: 'near'}, 'PTX   ', ...namedText(text, t.instructions[step[1]][4])));
}

// An instruction with variables in place of the registers that hold them.
function namedText(text, names = {}) {
  return text.split(/(%[a-z]+[0-9]+)/).map((part) => (part in names ?
    element('b', {class: 'variable', title: part}, / /.test(names[part]) ? `(${names[part]})` : names[part]) : part));
}

// What a register without a variable holds: an element that was loaded, or an address of one array; else ''.
function holdingText(t, step, vector, type) {
  const access = step[5] >= 0 ? t.accesses[step[5]] : null, first = step[2] ? Math.clz32(step[2] & -step[2]) ^ 31 : -1;
  const inside = (a, at) => at >= a.begin && at < a.begin + a.bytes;
  if (first < 0) return '';
  if (access && access[0] === 'load') {
    const at = vectorOf(t.vectors[access[4]])[first];
    const name = access[1] === 'shared' ? (t.shared.find(([, offset, bytes]) => at >= offset && at < offset + bytes) || [''])[0]
      : access[1] === 'global' ? (arraysOf(launchNow()).find((a) => inside(a, at)) || {name: ''}).name : '';
    return name ? `${name}[\u2026]` : '';
  }
  const array = /^[bus]64$/.test(type) && arraysOf(launchNow()).find((a) => inside(a, vector[first]));
  return array && vector.every((v, lane) => !(step[2] >>> lane & 1) || inside(array, v)) ? `${array.name} + \u2026` : '';
}

// The registers written last, the latest first.
function registersPart(t, steps) {
  const kept = new Map();
  for (let i = chosen.step; i >= 0 && kept.size < KEPT_REGISTERS; i--) {
    const [, insn, lanes, , , , values] = t.steps[steps[i]];
    const [, line, , named, names = {}] = t.instructions[insn];
    values.forEach((v, k) => {
      const register = named[2 * k], type = named[2 * k + 1];
      if (v < 0 || kept.has(register)) return;
      const vector = vectorOf(t.vectors[v]);
      kept.set(register, {type, vector, lanes, line, now: i === chosen.step, variable: names[register], holds: names[register] ? '' : holdingText(t, t.steps[steps[i]], vector, type)});
    });
  }
  const rows = [...kept].map(([name, r]) => element('tr', r.now ? {class: 'here'} : {},
    element('th', {scope: 'row', title: `${name}, written at line ${r.line}`}, ...(r.variable ? [element('b', {class: 'variable'}, r.variable), ` ${name}`] : [r.holds ? `${r.holds} ${name}` : name]), ` (line ${r.line})`),
    ...r.vector.map((v, lane) => element('td', {class: r.lanes >>> lane & 1 ? '' : 'faint', title: `lane ${lane}: ${valueText(v, r.type)}`}, cellText(v, r.type)))));
  return element('details', {open: true}, element('summary', {}, 'variables and registers written last, lane by lane'), element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'variables and registers'},
    element('table', {class: 'registers'}, element('tbody', {}, ...rows))));
}

function accessPart(t, step) {
  if (step[5] < 0) return element('p', {class: 'hint'}, 'This instruction does not touch memory.');
  const [kind, space, bytes, lanes, vector, cost, conflictCount, picture] = t.accesses[step[5]];
  const what = space === 'shared' ? `${plural(cost, 'wavefront')}, ${plural(conflictCount, 'conflict')}` : space === 'global' ? plural(cost, 'sector') : '';
  return element('div', {}, element('p', {}, `${kind}, ${space} memory, ${plural(bytes, 'byte')} a lane${what ? ': ' + what : ''}`),
    ...(picture >= 0 ? [pictureText(record.pictures[picture])] : []), addressTable(t.vectors[vector], lanes, space));
}

// Rows of 32 words that any step touches: of large arrays the others would only push these away.
function usedRows(t) {
  if (!t.used) {
    t.used = new Set();
    for (const a of t.accesses.filter((x) => x[1] === 'shared')) {
      const addresses = vectorOf(t.vectors[a[4]]);
      for (let lane = 0; lane < 32; lane++) if (a[3] >>> lane & 1) t.used.add(Math.floor(Number(addresses[lane]) / (4 * BANKS)));
    }
  }
  return t.used;
}

// Shared memory as this step leaves it: a row is 32 words, so a column is a bank. Fresh is what was written
// since this warp's last barrier: the round of a tree, the phase of a tile.
function sharedPart(t, index) {
  if (t.shared.length === 0) return element('div', {});
  const words = new Map(), touched = new Set(), own = t.steps[index][0];
  let round = -1;
  for (let i = 0; i < index; i++) {
    if (t.steps[i][0] === own && /^bar|barrier/.test(t.instructions[t.steps[i][1]][2])) round = i;
  }
  for (let i = 0; i <= index; i++) {
    for (const gap of gapsOf(t).filter((g) => g[7] === i && g[9] === 1)) {
      for (const [w, word] of words) if (w > gap[8][gap[8].length - 3]) words.set(w, {...word, value: null});
    }
    for (const [w, value] of gapWords(t).get(i) || []) words.set(w, {value, type: (words.get(w) || {}).type, fresh: false});
    const access = t.steps[i][5] >= 0 ? t.accesses[t.steps[i][5]] : null;
    if (!access || access[1] !== 'shared') continue;
    const addresses = vectorOf(t.vectors[access[4]]);
    const type = (/\.(f32|f64|u32|s32|b32|u64|s64|b64|u8|u16)/.exec(t.instructions[t.steps[i][1]][2]) || [])[1];
    for (let lane = 0; lane < 32; lane++) {
      if (!(access[3] >>> lane & 1)) continue;
      const first = Math.floor(Number(addresses[lane]) / 4);
      access[8].forEach((v, k) => words.set(first + k, {value: vectorOf(t.vectors[v])[lane], type, fresh: i > round && /^(st|atom|red)/.test(t.instructions[t.steps[i][1]][2])}));
      for (let k = 0; i === index && k < Math.max(1, access[2] / 4); k++) touched.add(first + k);
    }
  }
  return element('div', {}, ...t.shared.map(([name, offset, bytes]) => sharedArray(name, offset, bytes, words, touched, usedRows(t))));
}

// By step, what left-out rounds do to words of shared memory before it: a value, or null where they have begun to
// write a word and the value of that moment is not recorded.
function gapWords(t) {
  if (!t.gapWords) {
    const events = new Map(), add = (step, w, value) => { if (!events.has(step)) events.set(step, []); events.get(step).push([w, value]); };
    for (const [, , , , , , , begin, list] of gapsOf(t)) {
      for (let k = 0; k < list.length; k += 3) {
        if (begin < list[k + 2]) add(begin, list[k], null);
        add(list[k + 2], list[k], BigInt(list[k + 1]));
      }
    }
    t.gapWords = events;
  }
  return t.gapWords;
}

// Words of shared memory that are loaded as halves or floats hold them, whatever wrote them: stores and copies say
// how many bits there are, not what they mean. So do the other words of an array of which all loads are of one type
// (of a step that makes several accesses one is recorded).
function loadedAs(t, w) {
  if (!t.loadedAs) {
    t.loadedAs = new Map();
    t.arraysLoadedAs = t.shared.map(([, offset, bytes]) => ({first: Math.floor(offset / 4), end: (offset + bytes) / 4, types: new Set()}));
    for (const [, insn, , , , at] of t.steps) {
      const access = at >= 0 ? t.accesses[at] : null;
      if (!access || access[0] !== 'load' || access[1] !== 'shared') continue;
      const types = t.instructions[insn][3].filter((x, i) => i % 2 === 1).map((type) => (/^b?f16$/.test(type) ? `${type}x2` : type));
      const addresses = vectorOf(t.vectors[access[4]]);
      for (let k = 0; k < Math.max(1, access[2] / 4) && types.length > 0; k++) {
        const type = types[Math.min(k, types.length - 1)];
        for (let lane = 0; lane < 32; lane++) {
          if (!(access[3] >>> lane & 1)) continue;
          const word = Math.floor(Number(addresses[lane]) / 4) + k;
          t.loadedAs.set(word, type);
          t.arraysLoadedAs.filter((a) => word >= a.first && word < a.end).forEach((a) => a.types.add(type));
        }
      }
    }
  }
  const array = t.arraysLoadedAs.find((a) => w >= a.first && w < a.end && a.types.size === 1);
  const type = t.loadedAs.get(w) || (array ? [...array.types][0] : '');
  return /^(b?f16x2|t?f32)$/.test(type) ? type : 's32';
}

function wordText(words, w, text) {
  const word = words.get(w);
  if (word.value === null) return '?';
  if (word.type === 'f64' || word.type === 'u64' || word.type === 's64' || word.type === 'b64') {
    const low = words.get(w & ~1), high = words.get(w | 1);
    if (!low || !high || low.value === null || high.value === null) return '?';
    return w & 1 ? '\u2039' : text(high.value << 32n | low.value, word.type);
  }
  return text(word.value, word.type === 'f32' ? 'f32' : loadedAs(traceNow(), w));
}

function sharedArray(name, offset, bytes, words, touched, used) {
  const first = Math.floor(offset / 4), last = Math.ceil((offset + bytes) / 4), rows = [];
  const begin = first - first % BANKS;
  for (let row = begin; row < last && rows.length < MOST_ROWS; row += BANKS) {
    if (!used.has(row / BANKS)) continue;
    const cells = Array.from({length: BANKS}, (_, k) => {
      const w = row + k, inside = w >= first && w < last;
      return element('td', {class: (touched.has(w) ? 'touched' : '') + (words.has(w) ? (words.get(w).fresh ? ' fresh' : '') : ' empty'), title: inside ? `${name}, byte ${4 * w - offset}, bank ${k}${words.has(w) ? ': ' + wordText(words, w, valueText) : ''}` : ''}, !inside ? '' : words.has(w) ? wordText(words, w, cellText) : '\u00b7');
    });
    rows.push(element('tr', {}, element('th', {scope: 'row'}, `${4 * row - offset}`), ...cells));
  }
  if (rows.length === 0) return element('p', {class: 'hint'}, `shared array ${name}: ${plural(bytes, 'byte')}, not used by these steps`);
  const more = rows.length < Math.ceil((last - begin) / BANKS) ? ', rows that are used' : '';
  return element('details', {open: true, class: 'shared'}, element('summary', {}, `shared array ${name}: ${plural(bytes, 'byte')}; a column is a bank; underlined: written since the last barrier${more}`),
    element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `words of ${name}`}, element('table', {class: 'words'}, element('thead', {}, element('tr', {}, element('th', {}, 'byte'), ...Array.from({length: BANKS}, (_, k) => element('th', {scope: 'col'}, `${k}`)))), element('tbody', {}, ...rows))));
}

document.addEventListener('keydown', (e) => {
  if (!traceNow() || ['INPUT', 'SELECT', 'TEXTAREA'].includes(e.target.tagName)) return;
  if (e.key === 'ArrowRight') { stop(); show(chosen.step + 1); e.preventDefault(); }
  if (e.key === 'ArrowLeft') { stop(); show(chosen.step - 1); e.preventDefault(); }
  if (e.key === 'Home') { stop(); show(0); e.preventDefault(); }
  if (e.key === 'End') { stop(); show(Infinity); e.preventDefault(); }
  const next = {b: isBarrier, l: isNewLine, d: isParting}[e.key];
  if (next && !e.ctrlKey && !e.metaKey && !e.altKey) goNext(next);
  if (e.key === ' ' && e.target.tagName !== 'BUTTON' && e.target.tagName !== 'SUMMARY') { if (timer) stop(); else play(); e.preventDefault(); }
});
begin();
