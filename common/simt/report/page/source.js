// source.js - the source of the chosen launch, with heat in the margin; its accesses and branches below
// their lines; the picture of one request.


const counters = [
  {name: 'instructions', title: 'warp instructions', of: (l) => l.instructions || 0},
  {name: 'idle', title: 'idle lanes', of: (l) => 32 * (l.instructions || 0) - (l.thread_instructions || 0)},
  {name: 'sectors', title: 'global sectors', of: (l) => ['load', 'store', 'red', 'atom'].reduce((t, k) => t + (l[`global_${k}_sectors`] || 0), 0)},
  {name: 'excess', title: 'excess sectors', of: (l, accesses) => accesses.filter((a) => a.space === 'global').reduce((t, a) => t + a.cost - a.least, 0)},
  {name: 'wavefronts', title: 'shared wavefronts', of: (l) => ['load', 'store', 'atom'].reduce((t, k) => t + (l[`shared_${k}_wavefronts`] || 0), 0)},
  {name: 'conflicts', title: 'bank conflicts', of: (l) => ['load', 'store', 'atom'].reduce((t, k) => t + (l[`shared_${k}_conflicts`] || 0), 0)},
  {name: 'divergent', title: 'divergent branches', of: (l) => l.divergent_branches || 0},
];
let shown = counters[0];

const here = (a, file, line) => a.file === file && a.line === line;
const unit = (a) => (a.space === 'shared' ? 'wavefront' : 'sector');

function accessTitle(a) {
  const direction = a.kind === 'load' ? 'load of' : a.kind === 'store' ? 'store to' : a.kind === 'copy from' || a.kind === 'copy to' ? `asynchronous ${a.kind}` : `${a.kind} on`;
  return `${direction} ${a.array || a.space + ' memory'} (${a.space}, ${plural(a.bytes, 'byte')} a lane)`;
}

function accessNumbers(a) {
  const parts = [plural(a.requests, 'request')];
  if (a.space === 'global' || a.space === 'shared') {
    parts.push(`${ratio(a.cost, a.requests)} ${unit(a)}s each` + (a.cost > a.least ? `, ${ratio(a.least, a.requests)} would do: ${percent(a.cost - a.least, a.least)} too many` : ', the least'));
  }
  if (a.conflicts > 0) parts.push(plural(a.conflicts, 'bank conflict'));
  if (a.lanes < 32 * a.requests) parts.push(`${(a.lanes / a.requests).toFixed(1)} lanes active`);
  if (a.moved) parts.push('moved here by the compiler');
  return parts.join('; ');
}

function accessRow(a) {
  const button = (key) => element('button', {type: 'button', 'data-sample': key, onclick: () => drawPicture(a, key), onfocus: () => drawPicture(a, key)}, `${key} ${a[key].cost}`);
  const pictured = a.worst.picture >= 0;
  return element('div', {class: 'access' + (a.cost > a.least ? ' excess' : ''), 'data-requests': a.requests, 'data-cost': a.cost, onmouseenter: () => pictured && drawPicture(a, 'worst')},
    element('span', {class: 'what'}, accessTitle(a)), ' ', accessNumbers(a), ' ',
    ...(pictured ? (a.worst.cost === a.typical.cost ? ['first'] : ['worst', 'typical', 'first']).map(button).flatMap((b) => [b, ' ']) : []),
    ...(a.made_at ? [element('span', {class: 'hint'}, `made at ${a.made_at}`)] : []),
    ...(a.advice ? [element('span', {class: 'advice'}, a.advice)] : []));
}

// Who went where: a row of 32 cells for each of the most frequent cases.
function branchRow(b) {
  const cases = b.classes.map((c) => {
    const cells = lanesOf(c.lanes).map((on, i) => {
      const taken = (c.taken >>> i & 1) === 1;
      return element('span', {class: !on ? 'off' : taken ? 'jump' : 'run', title: `lane ${i}: ${!on ? 'not here' : taken ? 'jumps' : 'goes on'}`}, !on ? '\u00b7' : taken ? 'J' : '\u2193');
    });
    const jump = popcount(c.taken), all = popcount(c.lanes);
    return element('div', {}, `${plural(c.count, 'time')}: ${jump} of ${plural(all, 'lane')} jump (first in block ${shape(c.block)}, warp ${c.warp}) `,
      element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'lanes'}, element('div', {class: 'cells', role: 'img', 'aria-label': `lanes ${laneRanges(c.taken)} jump, lanes ${laneRanges(c.lanes & ~c.taken)} go on`}, ...cells)));
  });
  return element('div', {class: 'access' + (b.divergent > 0 ? ' excess' : '')},
    element('span', {class: 'what'}, 'branch'), ` executed ${plural(b.executed, 'time')}, lanes parted ${plural(b.divergent, 'time')}. `,
    ...(b.advice ? [element('span', {class: 'advice'}, b.advice), ' '] : []),
    element('details', {}, element('summary', {}, 'who went where: J jumps, \u2193 goes on, \u00b7 is not here'), ...cases, b.others > 0 ? `${plural(b.others, 'time')} otherwise` : ''));
}

// Branches of a line at which lanes parted, one by one; the others, of which unrolling makes many, together.
function branchRows(branches) {
  const apart = branches.filter((b) => b.divergent > 0), whole = branches.filter((b) => b.divergent === 0);
  const times = whole.reduce((t, b) => t + b.executed, 0);
  return [...apart.map(branchRow), ...(whole.length === 1 ? whole.map(branchRow) : whole.length === 0 ? [] : [
    element('div', {class: 'access'}, element('details', {}, element('summary', {},
      element('span', {class: 'what'}, plural(whole.length, 'branch').replace('branchs', 'branches')), ` executed ${plural(times, 'time')}, lanes never parted`), ...whole.map(branchRow)))])];
}

// Lines with counts and three around them; what is between is a gap that opens. Of a file that cannot be
// read, the lines with counts alone.
function shownLines(file, lines) {
  const wanted = new Set(), known = record.files[file].lines.length;
  for (const l of lines) {
    wanted.add(l.line);
    for (let n = l.line - 3; n <= l.line + 3; n++) if (n >= 1 && n <= known) wanted.add(n);
  }
  return [...wanted].sort((a, b) => a - b);
}

function sourceRow(launch, file, number, counted, most) {
  const accesses = (launch.accesses || []).filter((a) => here(a, file, number));
  const branches = (launch.branches || []).filter((b) => here(b, file, number));
  const value = counted ? shown.of(counted, accesses) : 0;
  const heat = most > 0 ? value / most : 0;
  const text = number === 0 ? 'without a line' : record.files[file].lines[number - 1] || '';
  return element('tr', {id: `f${file}l${number}`, class: chosen.line === number && number > 0 ? 'here' : ''},
    element('td', {class: 'number'}, element('button', {type: 'button', 'aria-label': number > 0 ? `line ${number}` : 'without a line', onclick: () => { chosen.line = number; writeAddress(); drawSource(); runToLine(file, number); }}, number > 0 ? `${number}` : '-')),
    element('td', {class: 'value', 'data-line': number, 'data-value': value, style: `background: rgba(var(--heat), ${(0.75 * heat).toFixed(3)})`}, value > 0 ? count(value) : ''),
    element('td', {class: 'text'}, text, ...findingsOfLine(launch, file, number), ...accesses.map(accessRow), ...branchRows(branches)));
}

// What the compiler gave no line to: a row of its own, with its share, and a warning where it weighs.
function rowsWithoutLine(launch, valueOf, most, total) {
  const own = launch.lines.filter((l) => l.line === 0);
  const share = percent(own.reduce((t, l) => t + valueOf(l), 0), total) || '0 %';
  return own.length === 0 ? [] : [
    element('tr', {class: 'file', id: 'without-line'}, element('td', {colspan: 3},
      `No line: moved or made by the compiler (${share} of the ${shown.title})`)),
    ...own.map((l) => sourceRow(launch, l.file, 0, l, most))];
}

function drawSource() {
  const launch = launchNow();
  fill(byId('heat'), ...counters.map((c) => element('button', {type: 'button', 'aria-pressed': c === shown, 'data-heat': c.name, onclick: () => { shown = c; drawSource(); }}, c.title)));
  if (!launch.lines) {
    const other = record.launches.filter((l) => l.kernel === launch.kernel && l.lines).pop();
    fill(byId('source'), element('p', {}, 'Of each kernel the largest launch is shown in detail, and the one that is played below. '),
      ...(other ? [element('button', {type: 'button', onclick: () => choose(other)}, `show launch ${other.launch}`)] : []));
    fill(byId('picture'));
    return;
  }
  const valueOf = (l) => shown.of(l, launch.accesses.filter((a) => here(a, l.file, l.line)));
  const total = launch.lines.reduce((t, l) => t + valueOf(l), 0), most = Math.max(...launch.lines.map(valueOf));
  const files = [...new Set(launch.lines.filter((l) => l.line > 0).map((l) => l.file))];
  const rows = rowsWithoutLine(launch, valueOf, most, total);
  for (const file of files) {
    const lines = launch.lines.filter((l) => l.file === file && l.line > 0);
    rows.push(element('tr', {class: 'file'}, element('td', {colspan: 3}, record.files[file].name + (record.files[file].lines.length > 0 ? '' : ' (cannot be read here)'))));
    let last = 0;
    for (const number of shownLines(file, lines)) {
      if (last > 0 && number > last + 1) rows.push(element('tr', {class: 'gap'}, element('td', {colspan: 3}, '\u22ee')));
      rows.push(sourceRow(launch, file, number, lines.find((l) => l.line === number), most));
      last = number;
    }
  }
  const worst = (launch.accesses || []).filter((a) => a.worst.picture >= 0).sort((a, b) => (b.cost - b.least) - (a.cost - a.least))[0];
  if (worst) drawPicture(worst, 'worst');
  fill(byId('source'), rows.length > 0 ? element('table', {class: 'code', 'aria-label': 'Source with counts'}, element('tbody', {}, ...rows))
    : element('p', {}, 'Nothing was executed.'));
}

// --- one request ----------------------------------------------------------------------------------
// The text is the simulator's own drawing: # a byte that a lane wants, . one that comes along.
function pictureText(text) {
  const pre = element('pre', {tabindex: 0});
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const drawn = /^(\s*bytes|pass)/.test(line);
    if (!drawn) {
      pre.append(line + '\n');
      continue;
    }
    for (const piece of line.split(/(#+|\.+)/)) {
      pre.append(/^#/.test(piece) ? element('span', {class: 'wanted'}, piece) : /^\./.test(piece) ? element('span', {class: 'along'}, piece) : piece);
    }
    pre.append('\n');
  }
  return pre;
}

function addressTable(encoded, mask, space) {
  const values = vectorOf(encoded);
  const cells = lanesOf(mask).map((on, i) => (on ? `${String(i).padStart(2)}: ${space === 'shared' ? values[i] : '0x' + values[i].toString(16)}` : `${String(i).padStart(2)}: -`));
  const rows = [];
  for (let i = 0; i < 32; i += 4) rows.push(cells.slice(i, i + 4).map((c) => c.padEnd(20)).join(' '));
  return element('details', {}, element('summary', {}, space === 'shared' ? 'bytes in shared memory, by lane' : 'addresses, by lane'), element('pre', {tabindex: 0}, rows.join('\n')));
}

function drawPicture(a, key) {
  const s = a[key];
  fill(byId('picture'),
    element('p', {}, element('strong', {}, accessTitle(a)), `, ${a.line > 0 ? `line ${a.line}` : 'without a line'}: the ${key} request, of warp ${s.warp} in block (${s.block.join(',')})`),
    pictureText(record.pictures[s.picture] || ''),
    element('p', {}, `Requests by ${unit(a)}s: ` + a.classes.map(([cost, n]) => `${cost}: ${count(n)}`).join(', ')),
    addressTable(s.addresses, s.lanes, a.space),
    ...(a.advice ? [element('p', {}, a.advice)] : []));
}
