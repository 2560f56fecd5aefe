// diff.js - two runs side by side: simtdiff puts it behind page.js, whose record is the later run.
const before = readRecord('before');
const view = {kernel: '', kind: 'sectors'};

// --- what is compared -----------------------------------------------------------------------------
const kinds = {
  sectors: (c) => totalOf(c, /_sectors$/),
  'bank conflicts': (c) => totalOf(c, /_conflicts$/),
  instructions: (c) => c.instructions || 0,
};
const totalOf = (counters, name) => Object.entries(counters).reduce((t, [n, v]) => (name.test(n) ? t + v : t), 0);
const largestOf = (r, kernel) => r.launches.filter((l) => l.kernel === kernel)
  .reduce((best, l) => (!best || l.counters.thread_instructions > best.counters.thread_instructions ? l : best), null);

// The model's time where both runs have it, else the time that is needed at least.
function timeOf(a, b, which) {
  const own = which === 'before' ? a : b;
  return a.model && b.model ? own.model.us : a.floor && b.floor ? own.floor.us : undefined;
}
const change = (x, y) => (x === y ? '' : x === 0 ? 'new' : y === 0 ? 'gone' : `${y > x ? '+' : '\u2212'}${Math.abs(100 * (y / x - 1)).toFixed(0)} %`);
const side = (x, y) => [x, y, change(x, y)];

function pairsOfKernels() {
  const names = [...new Set([...before.launches, ...record.launches].map((l) => l.kernel))];
  return names.map((kernel) => ({kernel, a: largestOf(before, kernel), b: largestOf(record, kernel)}));
}

// Of sectors, bank conflicts and instructions, the one that went the way of the time, and furthest.
function reasonOf(a, b) {
  const was = timeOf(a, b, 'before'), is = timeOf(a, b, 'after');
  if (!(was > 0 && is > 0)) return '';
  const ratios = Object.entries(kinds).map(([kind, of]) => [kind, Math.log((of(b.counters) + 1) / (of(a.counters) + 1)), of]);
  const best = ratios.filter(([, r]) => r * Math.log(is / was) > 0 && Math.abs(r) > 0.02).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]))[0];
  return best ? ` The time goes with ${best[0]}: ${count(best[2](a.counters))} before, ${count(best[2](b.counters))} after.` : '';
}

// --- the table of kernels ---------------------------------------------------------------------------
const cells = (values, show) => [element('td', {}, show(values[0])), element('td', {}, show(values[1])), element('td', {class: 'change'}, values[2])];
const us = (t) => (t === undefined ? '' : t.toPrecision(3));

function drawKernels() {
  const pairs = pairsOfKernels(), both = pairs.filter((p) => p.a && p.b);
  const modelled = both.length > 0 && both.every((p) => p.a.model && p.b.model);
  const groups = [modelled ? 'modelled, us' : 'at least, us', ...Object.keys(kinds)];
  const head = element('thead', {}, element('tr', {}, element('th', {scope: 'col', rowspan: 2, class: 'left'}, 'kernel'), ...groups.map((g) => element('th', {scope: 'colgroup', colspan: 3}, g))),
    element('tr', {}, ...groups.flatMap(() => ['before', 'after', 'change'].map((w) => element('th', {scope: 'col'}, w)))));
  const rows = pairs.map(({kernel, a, b}) => {
    const name = element('td', {class: 'left'}, a && b ? element('button', {type: 'button', onclick: () => chooseKernel(kernel, true)}, kernel) : kernel);
    if (!a || !b) return element('tr', {'data-kernel': kernel}, name, element('td', {colspan: 3 * groups.length, class: 'left'}, a ? 'only before' : 'only after'));
    const was = timeOf(a, b, 'before'), is = timeOf(a, b, 'after');
    return element('tr', {'data-kernel': kernel, 'aria-selected': kernel === view.kernel}, name,
      ...cells([was, is, was === undefined ? '' : change(was, is)], us), ...Object.values(kinds).flatMap((of) => cells(side(of(a.counters), of(b.counters)), count)));
  });
  fill(byId('kernels'), head, element('tbody', {}, ...rows));
}

// --- one kernel -------------------------------------------------------------------------------------
function drawChanges() {
  const {a, b} = pairsOfKernels().find((p) => p.kernel === view.kernel);
  fill(byId('kernel-title'), view.kernel);
  const form = (l) => `grid ${shape(l.grid)}, block ${shape(l.block)}`;
  fill(byId('kernel-facts'), (form(a) === form(b) ? `${form(a)}.` : `Before ${form(a)}; after ${form(b)}.`) + reasonOf(a, b));
  const times = [['at least, us', a.floor, b.floor], ['modelled, us', a.model, b.model]].filter(([, x, y]) => x && y && x.us !== y.us)
    .map(([what, x, y]) => element('tr', {}, element('th', {scope: 'row'}, what), ...cells(side(x.us, y.us), us)));
  const names = [...new Set([...Object.keys(a.counters), ...Object.keys(b.counters)])];
  const rows = names.map((n) => [n, a.counters[n] || 0, b.counters[n] || 0]).filter(([, x, y]) => x !== y)
    .map(([n, x, y]) => element('tr', {'data-counter': n}, element('th', {scope: 'row'}, n.replaceAll('_', ' ')), ...cells(side(x, y), count)));
  fill(byId('changes'), element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, 'what changed'), ...['before', 'after', 'change'].map((w) => element('th', {scope: 'col'}, w)))),
    element('tbody', {}, ...times, ...rows, ...(times.length + rows.length === 0 ? [element('tr', {}, element('td', {colspan: 4, class: 'left'}, 'No counter changed.'))] : [])));
}

// Lines of two texts in pairs: [old index or -1, new index or -1], by a longest common sequence where the texts differ.
function pairLines(a, b) {
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail), y = b.slice(head, b.length - tail), pairs = [];
  for (let i = 0; i < head; i++) pairs.push([i, i]);
  if (x.length * y.length > 4e6) { // rewritten: nothing is matched there
    x.forEach((_, i) => pairs.push([head + i, -1]));
    y.forEach((_, k) => pairs.push([-1, head + k]));
  } else {
    const length = Array.from({length: x.length + 1}, () => new Uint32Array(y.length + 1));
    for (let i = x.length - 1; i >= 0; i--) {
      for (let k = y.length - 1; k >= 0; k--) length[i][k] = x[i] === y[k] ? length[i + 1][k + 1] + 1 : Math.max(length[i + 1][k], length[i][k + 1]);
    }
    for (let i = 0, k = 0; i < x.length || k < y.length;) {
      if (i < x.length && k < y.length && x[i] === y[k]) pairs.push([head + i++, head + k++]);
      else if (k >= y.length || (i < x.length && length[i + 1][k] >= length[i][k + 1])) pairs.push([head + i++, -1]);
      else pairs.push([-1, head + k++]);
    }
  }
  for (let i = 0; i < tail; i++) pairs.push([a.length - tail + i, b.length - tail + i]);
  return joined(pairs);
}

// Lines that went and lines that came in their place stand side by side.
function joined(pairs) {
  const out = [];
  for (let at = 0; at < pairs.length;) {
    const went = [], came = [];
    for (; at < pairs.length && (pairs[at][0] < 0 || pairs[at][1] < 0); at++) (pairs[at][1] < 0 ? went : came).push(Math.max(...pairs[at]));
    for (let n = 0; n < Math.max(went.length, came.length); n++) out.push([n < went.length ? went[n] : -1, n < came.length ? came[n] : -1]);
    if (at < pairs.length) out.push(pairs[at++]);
  }
  return out;
}

// What a line of a file costs: line number -> counters; 0: what the compiler names no line of.
function costsOf(launch, file) {
  const costs = new Map();
  for (const l of launch.lines || []) if (l.file === file || (l.file < 0 && file < 0)) costs.set(l.line, l);
  return costs;
}
const baseName = (name) => name.replace(/.*\//, '');

// The files of a kernel's lines in both runs, by name; what is left over in one run goes with what is left over in the other.
function pairsOfFiles(a, b) {
  const names = ([r, l]) => [...new Set((l.lines || []).filter((x) => x.file >= 0).map((x) => baseName(r.files[x.file].name)))];
  const old = names([before, a]), now = names([record, b]), left = now.filter((n) => !old.includes(n));
  const pairs = old.map((n) => [n, now.includes(n) ? n : left.shift()]);
  return [...pairs, ...left.map((n) => [undefined, n])];
}

function rowsOfFile(a, b, names) {
  const find = (r, name) => r.files.findIndex((f) => baseName(f.name) === name);
  const old = find(before, names[0]), now = find(record, names[1]), none = {lines: []};
  const costs = [costsOf(a, old < 0 ? -2 : old), costsOf(b, now < 0 ? -2 : now)];
  const texts = [old < 0 ? none.lines : before.files[old].lines, now < 0 ? none.lines : record.files[now].lines];
  return pairLines(...texts).filter(([i, k]) => (i >= 0 && costs[0].has(i + 1)) || (k >= 0 && costs[1].has(k + 1)))
    .map(([i, k]) => ({numbers: [i, k], texts: [texts[0][i], texts[1][k]], costs: [costs[0].get(i + 1), costs[1].get(k + 1)]}));
}

function drawLines() {
  const {a, b} = pairsOfKernels().find((p) => p.kernel === view.kernel), of = kinds[view.kind];
  fill(byId('heat'), ...Object.keys(kinds).map((kind) => element('button', {type: 'button', 'aria-pressed': kind === view.kind, onclick: () => { view.kind = kind; drawLines(); }}, kind)));
  const files = pairsOfFiles(a, b).map((names) => ({name: [...new Set(names.filter(Boolean))].join(' and '), rows: rowsOfFile(a, b, names)}));
  const lost = [costsOf(a, -1).get(0), costsOf(b, -1).get(0)];
  if (lost[0] || lost[1]) files.push({name: 'no line: moved or made by the compiler', rows: [{numbers: [-1, -1], texts: ['', ''], costs: lost}]});
  const value = (c) => (c ? of(c) : 0);
  const most = Math.max(1, ...files.flatMap((f) => f.rows.flatMap((r) => r.costs.map(value))));
  const half = (r, s) => [element('td', {class: 'number'}, r.numbers[s] < 0 ? '' : `${r.numbers[s] + 1}`),
    element('td', {class: 'value', 'data-side': s, 'data-value': value(r.costs[s]), style: `background: rgba(var(--heat), ${(0.55 * value(r.costs[s]) / most).toFixed(3)})`}, r.costs[s] ? count(value(r.costs[s])) : ''),
    element('td', {class: 'text'}, r.texts[s] === undefined ? '' : r.texts[s])];
  fill(byId('lines'), element('thead', {}, element('tr', {}, ...['before', 'after'].map((w) => element('th', {scope: 'colgroup', colspan: 3, class: 'left'}, `${w}: ${view.kind}`)), element('th', {scope: 'col'}, 'change'))),
    ...files.map((f) => element('tbody', {}, element('tr', {class: 'file'}, element('td', {colspan: 7}, f.name)),
      ...f.rows.map((r) => element('tr', {class: r.texts[0] !== r.texts[1] || value(r.costs[0]) !== value(r.costs[1]) ? 'here' : ''},
        ...half(r, 0), ...half(r, 1), element('td', {class: 'change'}, change(value(r.costs[0]), value(r.costs[1]))))))));
}

function chooseKernel(kernel, focus) {
  view.kernel = kernel;
  history.replaceState(null, '', `#kernel=${encodeURIComponent(kernel)}`);
  drawKernels();
  drawChanges();
  drawLines();
  if (focus) byId('kernel-title').focus();
}

useTheme();
byId('title').textContent = `${before.program} and ${record.program}`;
byId('subtitle').textContent = before.gpu === record.gpu ? `${record.source}, GPU profile ${record.gpu}` : `before: GPU profile ${before.gpu}; after: ${record.gpu}`;
document.title = `${before.program} and ${record.program}: two runs`;
drawKernels();
const wantedKernel = decodeURIComponent((/[#&]kernel=([^&]*)/.exec(location.hash) || ['', ''])[1]);
const matched = pairsOfKernels().filter((p) => p.a && p.b);
const firstShown = matched.find((p) => p.kernel === wantedKernel) || matched[0];
if (firstShown) chooseKernel(firstShown.kernel, false);
else byId('kernel-title').textContent = 'No kernel was launched in both runs.';
