// timeline.js - the chosen launch over modelled time: one SM's warps and what they wait for, the same along
// the whole launch, waves of blocks, and the model asked again. Names of states are Nsight Compute's.

const STATE = {slot: 0, from: 1, cycles: 2, reason: 3, insn: 4, cause: 5, block: 6, size: 7};
const stallColours = ['#1b7f4d', '#8bc9a6', '#c2410c', '#e8963e', '#8a949d', '#7c3aed', '#0b5fa5', '#b3123f', '#e0607e', '#5c6670', '#111827', '#c9b458'];
const stallTitle = (name) => (name === 'selected' ? 'Selected' : 'Stall ' + name.split('_').map((w) => w[0].toUpperCase() + w.slice(1)).join(' '));
const stallWords = {
  selected: 'the warp issues', not_selected: 'it could issue; another warp was chosen',
  long_scoreboard: 'it waits for global or local memory', short_scoreboard: 'it waits for shared memory, a shuffle or a special function',
  wait: 'it waits for a result of fixed latency', barrier: 'it waits for other warps of its block',
  math_pipe_throttle: 'the arithmetic pipe is busy', lg_throttle: 'the queue to global memory is full',
  mio_throttle: 'the queue to shared memory and special functions is full', branch_resolving: 'it waits for a jump',
  membar: 'it waits for a fence', drain: 'it has ended, but for its stores'};
const us = (value) => `${value < 99.95 ? value.toPrecision(3) : value.toFixed(0)} us`;
const statesOf = (t) => t.states.length / STATE.size;
const stateAt = (t, i) => Object.fromEntries(Object.entries(STATE).map(([name, k]) => [name, t.states[i * STATE.size + k]]));

// [reason's number, cycles] of all that are not 0, longest first.
function ranked(sums) {
  return sums.map((cycles, i) => [i, cycles]).filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
}

function reasonsPart(t) {
  const total = t.sums.reduce((a, b) => a + b, 0);
  const rows = ranked(t.sums).map(([i, cycles]) => element('tr', {'data-reason': t.reasons[i], 'data-cycles': cycles},
    element('td', {class: 'left'}, element('span', {class: 'swatch', style: `background: ${stallColours[i]}`}), stallTitle(t.reasons[i])),
    element('td', {}, `${(100 * cycles / total).toFixed(1)} %`), element('td', {}, (cycles / t.issued).toFixed(2)),
    element('td', {class: 'left hint'}, stallWords[t.reasons[i]])));
  return element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'shares of the states'}, element('table', {id: 'stalls'}, element('thead', {}, element('tr', {},
    element('th', {scope: 'col', class: 'left'}, 'state of resident warps'), element('th', {scope: 'col'}, 'share'),
    element('th', {scope: 'col'}, 'warps for each issue'), element('th', {scope: 'col', class: 'left'}, 'that is'))), element('tbody', {}, ...rows)));
}

// Shares of all states along the simulated time; below, what most warps wait for in each piece.
function alongPart(t) {
  const canvas = element('canvas', {width: 960, height: 150, role: 'img', id: 'along'});
  const draw = canvas.getContext('2d'), width = 960 / t.buckets.length, most = t.buckets.map((b) => ranked(b)[0]);
  t.buckets.forEach((bucket, x) => {
    let y = 0;
    const all = t.slots * t.bucket_cycles;
    bucket.forEach((cycles, i) => {
      const height = 150 * Math.min(1, cycles / all);
      draw.fillStyle = stallColours[i];
      draw.fillRect(x * width, 150 - y - height, width + 0.5, height);
      y += height;
    });
  });
  const pieces = [];
  most.forEach((top, x) => {
    const name = top ? t.reasons[top[0]] : 'nothing', last = pieces[pieces.length - 1];
    if (last && last.name === name) last.to = x + 1; else pieces.push({name, from: x, to: x + 1});
  });
  const at = (x) => us(x * t.bucket_cycles * t.us_per_cycle);
  const words = pieces.map((p) => `${at(p.from)} to ${at(p.to)}: ${p.name === 'nothing' ? 'no warp' : stallTitle(p.name)}`);
  canvas.setAttribute('aria-label', `What the resident warps do along the simulated time. ${words.join('; ')}`);
  return element('div', {}, element('h3', {}, 'All warps of the SM, along time'), element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'states of warps'}, canvas),
    element('details', {}, element('summary', {}, `what most warps do, from ${at(0)} to ${at(t.buckets.length)}`), element('ul', {}, ...words.map((w) => element('li', {}, w)))));
}

// --- the warps of one scheduler -------------------------------------------------------------------
const ROW = 16;
function warpsPart(t) {
  const slots = [...new Set(Array.from({length: statesOf(t)}, (_, i) => stateAt(t, i).slot))].sort((a, b) => a - b);
  const end = t.drawn_cycles, canvas = element('canvas', {id: 'warps', width: 960, height: ROW * (slots.length + 1) + 4, tabindex: 0, role: 'img',
    'aria-label': 'Warps of one scheduler over modelled cycles. Arrow keys go from state to state; the state is described below.'});
  const zoom = element('input', {type: 'range', id: 'zoom', min: 0, max: 100, value: 0, 'aria-label': 'zoom'});
  const move = element('input', {type: 'range', id: 'move', min: 0, max: 1000, value: 0, 'aria-label': 'position'});
  const view = () => {
    const length = end * 10 ** (-2 * Number(zoom.value) / 100);
    return {length, from: (end - length) * Number(move.value) / 1000};
  };
  const paint = () => {
    const draw = canvas.getContext('2d'), {from, length} = view(), scale = 960 / length;
    draw.clearRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < statesOf(t); i++) {
      const s = stateAt(t, i), x = (s.from - from) * scale, w = s.cycles * scale, y = ROW * (slots.indexOf(s.slot) + 1);
      if (x > 960 || x + w < 0) continue;
      draw.fillStyle = stallColours[s.reason];
      draw.fillRect(x, y + 1, Math.max(0.6, w - 0.2), s.reason === 0 ? ROW - 2 : ROW - 6);
      if (s.reason === 0) draw.fillRect(x, 1, Math.max(0.6, w), ROW - 4);
      if (i === chosen.state) { draw.strokeStyle = getComputedStyle(canvas).color; draw.lineWidth = 2; draw.strokeRect(x, y, Math.max(3, w), ROW - 1); }
    }
  };
  const choose = (i) => { chosen.state = Math.max(0, Math.min(i, statesOf(t) - 1)); writeAddress(); paint(); fill(byId('state'), statePart(t, chosen.state)); };
  canvas.addEventListener('click', (e) => {
    const {from, length} = view(), cycle = from + length * e.offsetX / canvas.clientWidth, slot = slots[Math.floor(e.offsetY / ROW) - 1];
    for (let i = 0; i < statesOf(t); i++) {
      const s = stateAt(t, i);
      if (s.slot === slot && s.from <= cycle && cycle < s.from + s.cycles) return choose(i);
    }
    return undefined;
  });
  canvas.addEventListener('keydown', (e) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (!step) return;
    const slot = stateAt(t, chosen.state).slot;
    let i = chosen.state + step;
    while (i >= 0 && i < statesOf(t) && stateAt(t, i).slot !== slot) i += step;
    if (i >= 0 && i < statesOf(t)) choose(i);
    e.preventDefault();
    e.stopPropagation();
  });
  zoom.addEventListener('input', paint);
  move.addEventListener('input', paint);
  setTimeout(() => { if (canvas.isConnected) choose(Math.min(chosen.state, statesOf(t) - 1)); }, 0);
  return element('div', {}, element('h3', {}, 'Warps of one of the four schedulers'),
    element('p', {class: 'hint'}, `The first row: its issue slots. Then a row for each warp: high where it issues, low where it waits. The first ${us(end * t.us_per_cycle)} are drawn. A click on a wait says what it waits for.`),
    element('div', {class: 'controls'}, element('label', {}, 'zoom ', zoom), element('label', {}, 'position ', move)),
    element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'all warps along time'}, canvas), element('div', {id: 'state', 'aria-live': 'polite'}));
}

const insnText = (t, n) => {
  const [file, line, ptx] = t.instructions[n];
  return [element('code', {}, ptx), ' ', line > 0 && file >= 0 ? element('button', {type: 'button', onclick: () => goToLine(launchNow(), file, line)}, `line ${line}`) : 'without a line'];
};

// The last time that the warp issued instruction n before this state.
function issueOf(t, slot, block, n, before) {
  for (let i = before - 1; i >= 0; i--) {
    const s = stateAt(t, i);
    if (s.slot === slot && s.block === block && s.insn === n && s.reason === 0) return i;
  }
  return -1;
}

// Why: what it waits for, what that waited for before it was issued, and so on.
function chainOf(t, index) {
  const links = [];
  let i = index;
  while (i >= 0 && links.length < 6) {
    const s = stateAt(t, i);
    if (s.cause < 0) break;
    const issued = issueOf(t, s.slot, s.block, s.cause, i);
    links.push({insn: s.cause, issued});
    let wait = -1;
    for (let k = issued - 1; k >= 0 && issued >= 0; k--) {
      const before = stateAt(t, k);
      if (before.slot === s.slot && before.block === s.block && before.insn === s.cause && before.reason > 1 && before.cause >= 0) { wait = k; break; }
      if (before.slot === s.slot && before.insn !== s.cause) break;
    }
    i = wait;
  }
  return links;
}

function statePart(t, index) {
  const s = stateAt(t, index), launch = launchNow(), name = t.reasons[s.reason];
  const at = (cycle) => us(cycle * t.us_per_cycle);
  const cause = s.cause >= 0 ? t.instructions[s.cause] : null;
  const access = cause && (launch.accesses || []).find((a) => here(a, cause[0], cause[1]) && (s.reason === t.reasons.indexOf('long_scoreboard') ? a.space === 'global' : a.space === 'shared'));
  return element('div', {class: 'finding', id: 'state-words'},
    element('p', {}, element('strong', {}, stallTitle(name)), `: ${stallWords[name]}. Block ${s.block} of the SM, its place ${s.slot}; from ${at(s.from)} on, for ${count(s.cycles)} cycles (${at(s.cycles)}).`),
    ...(s.insn >= 0 ? [element('p', {}, s.reason === 0 ? 'It issues ' : 'Next it will issue ', ...insnText(t, s.insn))] : []),
    ...(s.cause >= 0 ? [element('p', {}, 'It waits for:'), element('ol', {id: 'chain'}, ...chainOf(t, index).map((l) =>
      element('li', {}, ...insnText(t, l.insn), l.issued >= 0 ? ` issued at ${at(stateAt(t, l.issued).from)}` : ' issued before what is drawn')))] : []),
    ...(access && access.worst.picture >= 0 ? [element('p', {}, element('button', {type: 'button', onclick: () => { drawPicture(access, 'typical'); byId('picture').scrollIntoView({block: 'center'}); }}, `the request: ${accessTitle(access)}`))] : []));
}

// --- blocks over the SMs, and what if -------------------------------------------------------------
function bar(share, text) {
  return element('div', {class: 'bar'}, element('span', {style: `width: ${Math.max(0.5, Math.min(100, 100 * share)).toFixed(1)}%`}), element('em', {}, text));
}

function wavesPart(t) {
  const places = t.sms * t.blocks_per_sm, waves = Math.ceil(t.blocks_of_grid / places), last = t.blocks_of_grid - (waves - 1) * places;
  const rows = Array.from({length: Math.min(waves, 8)}, (_, i) => {
    const tail = i === Math.min(waves, 8) - 1, blocks = tail ? last : places;
    const title = waves > 8 && i === 6 ? `waves 7 to ${waves - 1}, each` : `wave ${tail ? waves : i + 1}${tail ? ', the last' : ''}`;
    return element('tr', {}, element('th', {scope: 'row', class: 'left'}, title), element('td', {class: 'wide'}, bar(blocks / places, `${count(blocks)} of ${count(places)} places`)));
  });
  return element('div', {}, element('h3', {}, 'Blocks over the SMs'),
    element('p', {class: 'hint'}, `${count(t.blocks_of_grid)} blocks; ${plural(t.blocks_per_sm, 'block')} fit on each of ${t.sms} SMs at once.`),
    element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'waves'}, element('table', {id: 'waves'}, element('tbody', {}, ...rows))));
}

function whatIfPart(t, launch) {
  const most = Math.max(t.us, ...t.what_if.map((w) => w.us));
  const row = (what, value, limiter) => element('tr', {'data-us': value}, element('th', {scope: 'row', class: 'left'}, what),
    element('td', {class: 'wide'}, bar(value / most, `${us(value)}${Math.abs(value / t.us - 1) < 0.005 ? '' : ` (${(100 * (value / t.us - 1)).toFixed(0)} %)`}`)), element('td', {class: 'left'}, limiter));
  return element('div', {}, element('h3', {}, 'What if: the model, asked again'),
    element('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'what if'}, element('table', {id: 'what-if'}, element('tbody', {}, row('as it is', t.us, launch.model.limiter), ...t.what_if.map((w) => row(w.what, w.us, w.limiter))))));
}

function drawTimeline() {
  const launch = launchNow(), t = launch.timeline, box = byId('time');
  byId('time-section').hidden = !record.launches.some((l) => l.timeline);
  if (!t) {
    const other = record.launches.find((l) => l.kernel === launch.kernel && l.timeline);
    fill(box, element('p', {class: 'hint'}, 'Of each kernel the largest launch is shown over time. '),
      ...(other ? [element('button', {type: 'button', onclick: () => choose(other)}, `show launch ${other.launch}`)] : []));
    return;
  }
  const off = 100 * (t.schedule_us / t.us - 1);
  fill(box, element('p', {class: 'hint'}, `Modelled, not measured: ${us(t.us)}, of which ${us(t.launch_us)} begin and end the launch. An SM has up to ${plural(t.blocks_of_sm, 'block')}, of which ${count(t.blocks)} ${t.blocks === 1 ? 'was' : 'were'} simulated with ${plural(t.slots, 'resident warp')}; this schedule by itself comes to ${us(t.schedule_us)} (${off >= 0 ? '+' : ''}${off.toFixed(0)} %) and is drawn to the model\u2019s time.`),
    reasonsPart(t), alongPart(t), warpsPart(t), wavesPart(t), whatIfPart(t, launch));
}
