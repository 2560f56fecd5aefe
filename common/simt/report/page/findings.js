// findings.js - what went wrong: the fault that ended a launch, drawn over the allocation, and what
// SIMT_CHECK has found, with both sides of a race; each leads to its line and, where it was recorded, to
// the player at that moment.

const fileName = (file) => (file >= 0 ? record.files[file].name.replace(/.*\//, '') : 'no file');
const placeText = (s) => (s.line > 0 ? `${fileName(s.file)}:${s.line}` : 'a line that the compiler does not name');
const blockNumber = (launch, [x, y, z]) => x + launch.grid[0] * (y + launch.grid[1] * z);
const isKernel = (launch, signature) => signature === launch.kernel || signature.startsWith(launch.kernel + '(');

// Chooses the launch and shows the line in its source.
function goToLine(launch, file, line) {
  choose(launch);
  chosen.line = line;
  writeAddress();
  drawSource();
  const row = byId(`f${file}l${line}`);
  if (row) row.scrollIntoView({block: 'center'});
}

// The recorded step of a warp at a line: its last one before a fault, else the first that accesses memory.
function stepAt(launch, block, warp, file, line, last) {
  const t = launch.trace;
  if (!t || blockNumber(launch, t.block) !== block || warp >= (t.played === undefined ? t.warps : t.played)) return -1;
  const steps = stepsOf(t, warp).map((index, step) => ({step, at: t.instructions[t.steps[index][1]], access: t.steps[index][5]}));
  const there = steps.filter((s) => s.at[0] === file && s.at[1] === line);
  const found = last ? there.pop() : there.find((s) => s.access >= 0) || there[0];
  return found ? found.step : -1;
}

function goToStep(launch, warp, step) {
  choose(launch);
  Object.assign(chosen, {warp, step});
  drawPlayer();
  byId('player-section').scrollIntoView();
}

// Buttons of one place: its line, and the player there if it has been recorded.
function placeButtons(launch, block, warp, file, line, last) {
  const step = line > 0 ? stepAt(launch, block, warp, file, line, last) : -1;
  const buttons = [];
  if (line > 0 && launch.lines) buttons.push(element('button', {type: 'button', 'data-go': 'line', onclick: () => goToLine(launch, file, line)}, `line ${line}`));
  if (step >= 0) buttons.push(element('button', {type: 'button', 'data-go': 'step', onclick: () => goToStep(launch, warp, step)}, 'play from here'));
  else buttons.push(element('span', {class: 'hint'}, `Run it with SIMT_TRACE=${block}:${warp} to play this warp.`));
  return buttons.flatMap((b) => [b, ' ']);
}

// Elements around the address, as wide as the access; those of the allocation, those beyond it, and the one
// that was asked for.
const AROUND = 8;
function allocationDrawn(f) {
  const a = f.allocation, width = Math.max(1, f.bytes);
  const from = a.offset - AROUND * width, cells = [];
  for (let k = 0; k <= 2 * AROUND; k++) {
    const begin = from + k * width, inside = begin >= 0 && begin + width <= a.bytes && !a.freed;
    cells.push(element('span', {class: k === AROUND ? 'wanted' : inside ? 'inside' : 'beyond', title: `byte ${begin}`}, k === AROUND ? '\u2717' : inside ? '' : '\u00b7'));
  }
  const where = a.freed ? `freed memory, byte ${count(a.offset)} of what were ${plural(a.bytes, 'byte')}`
    : a.offset < 0 ? `${plural(-a.offset, 'byte')} before its first`
    : a.offset >= a.bytes ? `${plural(a.offset - a.bytes, 'byte')} behind its end` : `byte ${count(a.offset)}, and its last byte is beyond`;
  const words = `${a.name || 'memory'} of ${plural(a.bytes, 'byte')}${a.made_at ? `, made at ${a.made_at}` : ''}: lane ${f.lane} asks for ${plural(f.bytes, 'byte')}, ${where}`;
  return element('div', {class: 'allocation'}, element('p', {}, words + '.'),
    element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'elements of the allocation'}, element('div', {class: 'elements', role: 'img', 'aria-label': words}, ...cells)),
    element('p', {class: 'hint'}, `A cell is ${plural(width, 'byte')}; filled: of the allocation.`));
}

function faultPart(launch) {
  const f = launch.fault;
  return element('div', {class: 'finding', 'data-kind': 'fault'},
    element('p', {}, element('strong', {}, `Launch ${launch.launch} of ${launch.kernel} ended here`), `: ${f.text}`),
    element('p', {}, `Lane ${f.lane} of warp ${f.warp} in block (${f.block.join(',')}) at ${placeText(f)} `,
      ...placeButtons(launch, blockNumber(launch, f.block), f.warp, f.file, f.line, true)),
    ...(f.allocation ? [allocationDrawn(f)] : []));
}

function sidePart(finding, side) {
  const launches = record.launches.filter((l) => isKernel(l, finding.kernel));
  const warp = Math.floor(side.thread / 32);
  const launch = launches.find((l) => stepAt(l, side.block, warp, side.file, side.line, false) >= 0) || launches.find((l) => l.lines);
  return element('li', {}, `${side.deed} at ${placeText(side)} by thread ${side.thread} (warp ${warp}, lane ${side.thread % 32}) of block ${side.block} `,
    ...(launch ? placeButtons(launch, side.block, warp, side.file, side.line, false) : []));
}

function findingPart(f) {
  return element('div', {class: 'finding', 'data-kind': f.text.split(' ')[0]},
    element('p', {}, f.text, f.count > 1 ? ` [${plural(f.count, 'time')}]` : ''),
    ...(f.first ? [element('ul', {}, sidePart(f, f.first), sidePart(f, f.second))] : []));
}

// A line of the source, where something ended or two threads met.
function findingsOfLine(launch, file, line) {
  const f = launch.fault, parts = [];
  if (f && here(f, file, line)) parts.push(element('div', {class: 'access fault'}, `The launch ended here: lane ${f.lane} of warp ${f.warp} in block (${f.block.join(',')})${f.address ? ` asked for 0x${f.address}` : ''}.`));
  for (const x of record.findings || []) {
    if (!x.first || !isKernel(launch, x.kernel) || ![x.first, x.second].some((s) => here(s, file, line))) continue;
    parts.push(element('div', {class: 'access fault'}, x.text));
  }
  return parts;
}

function drawFindings() {
  const faults = record.launches.filter((l) => l.fault), found = record.findings || [];
  const all = record.checked !== 'memory' && record.checked !== undefined; // records of older programs do not say
  const none = all ? `Checked (${record.checked}): no finding.`
    : 'Every access was checked against the allocations: no finding. SIMT_CHECK=all looks for races and for values that nobody wrote, too.';
  byId('findings').classList.toggle('bad', faults.length + found.length > 0);
  fill(byId('findings'), ...faults.map(faultPart), ...found.map(findingPart),
    ...(faults.length + found.length === 0 ? [element('p', {class: 'hint'}, none)] : []));
}
