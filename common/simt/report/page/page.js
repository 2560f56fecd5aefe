// page.js - the record of a program's launches as a page: what all parts share, the table of launches
// and the facts of the chosen one. source.js shows its source, player.js plays a block of it.
'use strict';
const byId = (id) => document.getElementById(id);

// Names and sources come from elsewhere: characters that hide or turn the direction of writing are shown
// as what they are.
const visible = (text) => text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
  (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
function readRecord(id) {
  const r = JSON.parse(byId(id).textContent);
  r.program = visible(r.program);
  for (const f of r.files) { f.name = visible(f.name); f.lines = f.lines.map(visible); }
  for (const l of r.launches) {
    l.kernel = visible(l.kernel);
    for (const a of l.accesses || []) { a.array = visible(a.array); a.made_at = visible(a.made_at); }
  }
  for (const e of r.explained) e[0] = visible(e[0]);
  for (const f of r.findings || []) f.text = visible(f.text);
  return r;
}
const record = readRecord('record');

// element('td', {class: 'left'}, 'text', child, ...)
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}
const fill = (e, ...children) => { e.replaceChildren(...children); return e; };
const count = (n) => n.toLocaleString('en-US');
const ratio = (part, whole) => (whole > 0 ? (part / whole).toFixed(2) : '');
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
const lanesOf = (mask) => Array.from({length: 32}, (_, i) => (mask >>> i & 1) === 1);
const popcount = (mask) => lanesOf(mask).filter(Boolean).length;

// "0-15, 20": the lanes of a mask, in words for tooltips and readers of screens.
function laneRanges(mask) {
  const on = lanesOf(mask), parts = [];
  for (let i = 0; i < 32; i++) {
    if (!on[i]) continue;
    let last = i;
    while (last < 31 && on[last + 1]) last++;
    parts.push(last > i ? `${i}-${last}` : `${i}`);
    i = last;
  }
  return parts.join(', ') || 'none';
}

// --- what is chosen, kept in the address: page.html#launch=2&line=41&step=17 ----------------------
const chosen = {launch: 0, line: 0, step: 0, warp: 0, beside: 0, state: 0};
function readAddress() {
  for (const part of location.hash.slice(1).split('&')) {
    const [name, value] = part.split('=');
    if (name in chosen && /^\d+$/.test(value || '')) chosen[name] = Number(value);
  }
  const known = record.launches.findIndex((l) => l.launch === chosen.launch);
  if (known < 0 || location.hash === '') { // the largest launch of the first kernel
    chosen.launch = -1;
    const shown = shownLaunches(), kernel = (shown[0] || record.launches[0]).kernel;
    chosen.launch = shown.filter((l) => l.kernel === kernel)
      .sort((a, b) => b.counters.thread_instructions - a.counters.thread_instructions)[0].launch;
  }
}
function writeAddress() {
  const parts = Object.entries(chosen).filter(([name, value]) => value > 0 || name === 'launch');
  history.replaceState(null, '', '#' + parts.map(([n, v]) => `${n}=${v}`).join('&'));
}
const launchNow = () => record.launches.find((l) => l.launch === chosen.launch);

// --- the table of launches ------------------------------------------------------------------------
const sum = (l, ...names) => names.reduce((total, n) => total + (l.counters[n] || 0), 0);
const globalRequests = (l) => sum(l, 'global_load_requests', 'global_store_requests', 'global_red_requests', 'global_atom_requests');
const globalSectors = (l) => sum(l, 'global_load_sectors', 'global_store_sectors', 'global_red_sectors', 'global_atom_sectors');
const conflicts = (l) => sum(l, 'shared_load_conflicts', 'shared_store_conflicts', 'shared_atom_conflicts');
const excess = (l) => (l.accesses || []).filter((a) => a.space === 'global').reduce((total, a) => total + a.cost - a.least, 0);
const shape = (d) => d.filter((n, i) => i === 0 || d.slice(i).some((m) => m > 1)).join(' x ');
const percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toFixed(0)} %` : '');

const columns = [
  {title: 'kernel', left: true, show: (l) => l.kernel, by: (l) => l.kernel},
  {title: 'launch', show: (l) => `${l.launch}` + (l.launches > 1 ? ` (${l.launches} alike)` : ''), by: (l) => l.launch},
  {title: 'measured', show: (l) => (l.measured > 0 ? 'yes' : 'no'), by: (l) => l.measured, only: () => someMeasured && byId('every').checked},
  {title: 'grid', show: (l) => shape(l.grid), by: (l) => l.grid[0] * l.grid[1] * l.grid[2]},
  {title: 'block', show: (l) => shape(l.block), by: (l) => l.block[0] * l.block[1] * l.block[2]},
  {title: 'warp instructions', counter: 'instructions', by: (l) => l.counters.instructions},
  {title: 'lanes active', show: (l) => ratio(l.counters.thread_instructions, l.counters.instructions), by: (l) => l.counters.thread_instructions / l.counters.instructions},
  {title: 'global sectors', show: (l) => count(globalSectors(l)), by: globalSectors},
  {title: 'sectors / request', show: (l) => ratio(globalSectors(l), globalRequests(l)), by: (l) => globalSectors(l) / Math.max(1, globalRequests(l))},
  {title: 'excess', show: (l) => (l.accesses ? percent(excess(l), globalSectors(l) - excess(l)) : ''), by: excess},
  {title: 'bank conflicts', show: (l) => count(conflicts(l)), by: conflicts},
  {title: 'divergent branches', counter: 'divergent_branches', by: (l) => l.counters.divergent_branches},
  {title: 'at least, us', show: (l) => (l.floor ? l.floor.us.toPrecision(3) : ''), by: (l) => (l.floor ? l.floor.us : 0), optional: 'floor'},
  {title: 'modelled, us', show: (l) => (l.model ? l.model.us.toPrecision(3) : ''), by: (l) => (l.model ? l.model.us : 0), optional: 'model'},
];
let order = {column: 1, down: false};

// A program verifies a kernel at several sizes before it measures it. Where the record knows which launches
// are measured, these are shown, else the largest of each kernel; and always the chosen one.
const someMeasured = record.launches.some((l) => l.measured > 0) && record.launches.some((l) => l.measured === 0);
function shownLaunches() {
  if (byId('every').checked) return record.launches.slice();
  if (someMeasured) return record.launches.filter((l) => l.measured > 0 || l.launch === chosen.launch);
  const largest = new Map();
  for (const l of record.launches) {
    const known = largest.get(l.kernel);
    if (!known || l.counters.thread_instructions > known.counters.thread_instructions) largest.set(l.kernel, l);
  }
  return record.launches.filter((l) => largest.get(l.kernel) === l || l.launch === chosen.launch);
}

function drawLaunches() {
  const used = columns.filter((c) => (!c.optional || record.launches.some((l) => l[c.optional])) && (!c.only || c.only()));
  const heads = used.map((c) => element('th', {
    scope: 'col', class: c.left ? 'left' : '',
    'aria-sort': columns[order.column] === c ? (order.down ? 'descending' : 'ascending') : 'none',
  }, element('button', {type: 'button', 'data-column': c.counter || c.title, onclick: () => {
    const index = columns.indexOf(c);
    order = {column: index, down: order.column === index ? !order.down : true};
    drawLaunches();
  }}, c.title)));
  const rows = shownLaunches().sort((a, b) => {
    const x = columns[order.column].by(a), y = columns[order.column].by(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1);
  });
  fill(byId('launches'), element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows.map((l) => element('tr', {
      tabindex: 0, 'aria-selected': l.launch === chosen.launch, 'data-launch': l.launch,
      onclick: () => choose(l), onkeydown: (e) => { if (e.key === 'Enter') choose(l); },
    }, ...used.map((c) => element('td', c.counter ? {'data-counter': c.counter, 'data-value': l.counters[c.counter]} : {class: c.left ? 'left' : '', title: c.left ? l.kernel : undefined},
      c.counter ? count(l.counters[c.counter]) : c.show(l)))))));
}

function choose(launch) {
  Object.assign(chosen, {launch: launch.launch, line: 0, step: 0, warp: 0, beside: 0, state: 0});
  drawAll();
  byId('launch-title').focus();
}

// --- the chosen launch ----------------------------------------------------------------------------
function drawFacts() {
  const l = launchNow(), o = l.occupancy;
  fill(byId('launch-title'), l.kernel);
  const parts = [(someMeasured && l.measured === 0 ? 'not measured by the program; ' : '') + `grid ${shape(l.grid)}, block ${shape(l.block)}, ${plural(l.shared_bytes, 'byte')} of shared memory a block`];
  if (o.blocks) parts.push(`an SM holds ${plural(o.blocks, 'block')}, ${o.warps} of ${o.most_warps} warps (limit: ${o.limiter}; ${o.exact_registers ? "" : "about "}${o.registers} registers a thread)`);
  if (l.floor) {
    const shares = Object.entries(l.floor.resources).filter(([, us]) => us >= 0.05 * l.floor.us).sort((a, b) => b[1] - a[1]);
    parts.push(`needs at least ${l.floor.us.toPrecision(3)} us on ${record.gpu} (${shares.map(([name, us]) => `${name} ${us.toPrecision(2)}`).join(', ')})`);
  }
  if (l.model) parts.push(`modelled ${l.model.us.toPrecision(3)} us (limited by ${l.model.limiter})`);
  fill(byId('launch-facts'), parts.join('; ') + '.');
  const words = record.explained.find(([kernel]) => kernel === l.kernel);
  byId('explained').hidden = !l.model || words === undefined;
  byId('explained').querySelector('pre').textContent = words === undefined ? '' : words[1];
  fill(byId('counters'), ...Object.entries(l.counters).filter(([, value]) => value > 0).map(([name, value]) =>
    element('div', {}, element('dt', {}, name.replaceAll('_', ' ')),
      element('dd', {'data-counter': name, 'data-value': value}, count(value)))));
}

function drawAll() {
  writeAddress();
  drawLaunches();
  drawFacts();
  drawSource();
  drawTimeline();
  drawPlayer();
}

// The theme that the page around this one has set, if there is one; else the reader's.
function useTheme() {
  const given = document.documentElement.dataset.theme;
  const dark = given ? given === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = (isDark) => {
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    byId('theme').setAttribute('aria-pressed', isDark);
  };
  byId('theme').addEventListener('click', () => theme(document.documentElement.dataset.theme !== 'dark'));
  theme(dark);
}

function begin() {
  byId('title').textContent = record.program;
  byId('subtitle').textContent = `${record.source}, GPU profile ${record.gpu}`;
  document.title = `${record.program}: launches`;
  useTheme();
  drawFindings();
  byId('footer').textContent = 'Counts are exact, times are not measured here.' +
    (record.launches_left_out > 0 ? ` ${plural(record.launches_left_out, 'launch').replace('launchs', 'launches')} found no room at all.` : '');
  if (record.launches.length === 0) {
    byId('launch-title').textContent = 'No kernel was launched.';
    byId('every').parentElement.hidden = true;
    return;
  }
  const kernels = new Set(record.launches.map((l) => l.kernel)).size;
  byId('every').parentElement.hidden = kernels === record.launches.length && !someMeasured;
  byId('every-text').textContent = `show all ${record.launches.length}, ` + (someMeasured ?
    'also those that the program does not measure (warm-up, verification)' : 'not only the largest of each kernel');
  byId('every').addEventListener('change', drawLaunches);
  readAddress();
  drawAll();
  if (/timeline\.html$/.test(location.pathname)) byId('time-section').scrollIntoView();
  window.addEventListener('hashchange', () => { readAddress(); drawAll(); });
}
