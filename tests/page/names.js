// names.js - are the names that a page gives to registers right? A proof by computation: each name is parsed as
// an expression of C and evaluated, lane by lane and step by step, from the values that its variables, parameters
// and memory have in the trace by then; the register must hold the same.
//
// namesOf(record) returns, over all traces of a record, the registers that instructions write, how many have a name (share:
// of each kernel's, added up), how many names were evaluated at least once, and as text those that gave something else. Names of variables are evaluated where a statement `x = ...;` of the source stands
// at the instruction's line.

const BITS = new DataView(new ArrayBuffer(8));
const asFloat = (raw, type) => { BITS.setBigUint64(0, BigInt.asUintN(64, raw), true); return type === 'f64' ? BITS.getFloat64(0, true) : BITS.getFloat32(0, true); };
const typeBits = (type) => (type === 'pred' ? 1 : Number((/\d+$/.exec(type) || ['32'])[0]));

function lanesOfVector(text) {
  if (text[0] === '=') return Array(32).fill(BigInt('0x' + text.slice(1)));
  if (text[0] === '+') {
    const [base, step] = text.slice(1).split(',');
    return Array.from({length: 32}, (_, i) => BigInt.asUintN(64, BigInt('0x' + base) + BigInt(step) * BigInt(i)));
  }
  return text.split(',').map((hex) => (hex ? BigInt('0x' + hex) : 0n));
}

// --- parsing ---------------------------------------------------------------------------------------------
class Unknown extends Error {}

function tokensOf(text) {
  const tokens = text.match(/0x[0-9a-f]+|\d+\.?\d*(?:e[-+]?\d+)?[fuUlL]*|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||\u2026|[-+*\/%&|^~!<>?:()\[\].,]/g) || [];
  if (tokens.join('') !== text.replace(/\s+/g, '')) throw new Unknown(`not understood: ${text}`);
  return tokens;
}

const BINARY = [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['+', '-'], ['*', '/', '%']];

// A tree: {op, a, b, c}, {number}, {path: [name, ...]} with subscripts as trees and fields as text.
function parse(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const next = (t) => (tokens[at] === t ? (at++, true) : false);
  const need = (t) => { if (!next(t)) throw new Unknown(`'${t}' is missing in ${text}`); };
  const choice = () => {
    const a = binary(0);
    if (!next('?')) return a;
    const b = choice();
    need(':');
    return {op: '?', a, b, c: choice()};
  };
  const binary = (level) => {
    if (level === BINARY.length) return unary();
    let a = binary(level + 1);
    while (BINARY[level].includes(tokens[at])) a = {op: tokens[at++], a, b: binary(level + 1)};
    if (level === 8 && tokens[at] === 'bytes') { at++; a = {op: 'bytes', a}; }
    return a;
  };
  const unary = () => {
    for (const op of ['-', '!', '~', '&', '*']) if (next(op)) return {op: `unary ${op}`, a: unary()};
    const cast = tokens[at] === '(' && ['unsigned', 'int', 'float', 'double', 'short', 'char', 'size_t', 'long', 'half'].includes(tokens[at + 1]);
    if (cast) {
      let name = '';
      for (at++; tokens[at] !== ')'; at++) name += (name ? ' ' : '') + tokens[at];
      at++;
      return {op: `(${name})`, a: unary()};
    }
    return postfix();
  };
  const postfix = () => {
    if (next('(')) { const a = choice(); need(')'); return a; }
    const token = tokens[at++];
    if (token === undefined || token === '\u2026') throw new Unknown('somewhere');
    if (/^\d/.test(token)) return {number: token};
    if (!/^[A-Za-z_]/.test(token)) throw new Unknown(`not understood: ${text}`);
    if (next('(')) {
      const list = [];
      while (!next(')')) { list.push(choice()); next(','); }
      return {op: 'call', name: token, list};
    }
    const path = [token];
    for (;;) {
      if (next('[')) { path.push(choice()); need(']'); } else if (next('.')) path.push(`.${tokens[at++]}`); else return {path};
    }
  };
  const tree = choice();
  if (at !== tokens.length) throw new Unknown(`not understood: ${text}`);
  return tree;
}

// --- what the source declares ------------------------------------------------------------------------------
const SIZES = {float: 4, double: 8, int: 4, unsigned: 4, 'unsigned int': 4, char: 1, 'unsigned char': 1, short: 2, 'unsigned short': 2, 'long long': 8, 'unsigned long long': 8, size_t: 8,
  half: 2, __half: 2, uint32_t: 4, int32_t: 4, uint64_t: 8, uint16_t: 2, uint8_t: 1};
const VECTORS = {float2: 4, float4: 4, int2: 4, int4: 4, uint2: 4, uint4: 4, double2: 8, half2: 2, __half2: 2};

function argumentsOf(kernel, source) {
  const name = kernel.replace(/<.*/, ''), values = {};
  const head = new RegExp(`template\\s*<([^;{]*?)>\\s*__global__[^;{]*?\\b${name}\\s*\\(`).exec(source);
  const given = /<(.*)>$/.exec(kernel);
  if (head && given) {
    const split = (list) => { const out = ['']; let depth = 0; for (const c of list) { depth += c === '<'; depth -= c === '>'; if (c === ',' && depth === 0) out.push(''); else out[out.length - 1] += c; } return out.map((x) => x.trim()); };
    const words = split(head[1]).map((x) => x.replace(/=.*/, '').trim().split(/\s+/).pop()), types = split(given[1]);
    words.forEach((w, i) => { if (types[i] !== undefined) values[w] = types[i]; });
  }
  return values;
}

function constantOf(text, values, source) {
  const known = text.replace(/[A-Za-z_]\w*/g, (w) => {
    if (w in values) return values[w];
    const found = new RegExp(`(?:#define\\s+${w}\\s+|(?:enum|const)\\b[^;]*?\\b${w}\\s*=\\s*)(\\d+)`).exec(source);
    return found ? found[1] : 'x';
  });
  return /^[\d\s+*\/()-]+$/.test(known) ? Math.trunc(Function(`return ${known}`)()) : 0;
}

function structOf(type, source) {
  const body = new RegExp(`struct ${type}\\s*\\{([^}]*)\\}`).exec(source);
  if (!body) return null;
  const fields = {};
  let end = 0, most = 1;
  for (const line of body[1].replace(/\/\/.*|\/\*[^]*?\*\//g, '').split(';')) {
    const member = /^\s*((?:unsigned |long )*\w+)\s+(.*)$/.exec(line.trim());
    if (!member) continue;
    const size = SIZES[member[1]];
    if (!size) return null;
    for (const one of member[2].split(',')) {
      const [, name, count] = /^\s*(\w+)(?:\[(\d+)\])?\s*$/.exec(one) || [];
      if (!name) return null;
      end = Math.ceil(end / size) * size;
      fields[name] = {offset: end, size, count: Number(count || 1)};
      end += size * Number(count || 1);
      most = Math.max(most, size);
    }
  }
  return {size: Math.ceil(end / most) * most, fields};
}

// {size, fields, dims} of what `name` points to or is an array of; null: the source does not say.
function shapeOf(name, kernel, source) {
  const values = argumentsOf(kernel, source), base = kernel.replace(/<.*/, '').replace(/.*::/, '');
  const element = (type) => {
    const plain = type.replace(/\b(const|struct|volatile)\b/g, '').trim(), t = values[plain] || plain;
    if (SIZES[t]) return {size: SIZES[t], fields: {}};
    if (VECTORS[t]) return {size: VECTORS[t] * Number(t.slice(-1)), fields: Object.fromEntries([...'xyzw'].slice(0, Number(t.slice(-1))).map((c, i) => [c, {offset: i * VECTORS[t], size: VECTORS[t], count: 1}]))};
    return structOf(t, source);
  };
  const head = new RegExp(`__global__[^;{]*?\\b${base}\\s*\\(([^{;]*)\\)`).exec(source);
  const pointer = head && new RegExp(`((?:[\\w:]+\\s+)*?[\\w:]+)\\s*\\*\\s*(?:const\\s+|__restrict__\\s*|volatile\\s+)*${name}\\b`).exec(head[1]);
  if (pointer) { const e = element(pointer[1]); return e && {...e, dims: []}; }
  const array = new RegExp(`__(?:shared|constant|device)__\\s+(?:__align__\\(\\d+\\)\\s+|alignas\\(\\d+\\)\\s+)?([^;=]*?)\\b${name}\\s*((?:\\[[^\\]]*\\])+)`).exec(source);
  if (!array) return null;
  const e = element(/^\s*((?:const |volatile |struct |unsigned |long )*[\w:]+)/.exec(array[1])[1]);
  const dims = [...array[2].matchAll(/\[([^\]]*)\]/g)].map((m) => constantOf(m[1], values, source));
  return e && dims.slice(1).every((d) => d > 0) ? {...e, dims} : null;
}

// --- evaluating --------------------------------------------------------------------------------------------
// A value is {v: BigInt, bits} or {f: Number, size: the largest that went into it}, or {address, space, shape}.
const FUNCTIONS = {abs: Math.abs, sqrt: Math.sqrt, rsqrt: (x) => 1 / Math.sqrt(x), ex2: (x) => 2 ** x, lg2: Math.log2, rcp: (x) => 1 / x, sin: Math.sin, cos: Math.cos, tanh: Math.tanh, floor: Math.floor, ceil: Math.ceil};

function evaluator(run) { // run: {lookup(name, lane), memory(space, address), root(name, lane), signed}
  const wrap = (x) => (run.signed ? BigInt.asIntN(x.bits, x.v) : BigInt.asUintN(x.bits, x.v));
  const truth = (x) => ('f' in x ? x.f !== 0 : x.v !== 0n);
  const bool = (b) => ({v: b ? 1n : 0n, bits: 1});
  const number = (text) => {
    if (/[.e]/.test(text) && !text.startsWith('0x')) return {f: parseFloat(text), size: Math.abs(parseFloat(text))};
    return {v: BigInt(text.replace(/[fuUlL]+$/, '')), bits: 32};
  };
  const real = (x) => ('f' in x ? x : {f: Number(wrap(x)), size: 0});
  const place = (path, lane) => { // of an array's element
    const root = run.root(path[0], lane);
    if (!root || !root.shape) return null;
    let address = root.address, size = BigInt(root.shape.size), k = 1;
    const strides = root.shape.dims.slice(1).reduceRight((list, d) => [BigInt(d) * list[0], ...list], [1n]);
    for (const stride of strides) {
      if (k >= path.length || typeof path[k] === 'string') return null;
      address += evaluate(path[k++], lane).v * stride * size;
    }
    for (; k < path.length; k++) {
      const field = typeof path[k] === 'string' && root.shape.fields[path[k].slice(1)];
      if (!field) return null;
      address += BigInt(field.offset);
      if (field.count > 1) address += evaluate(path[++k], lane).v * BigInt(field.size);
    }
    return {address, space: root.space};
  };
  const pathText = (path) => path.map((p, i) => (i === 0 || typeof p === 'string' ? p : `[${p.number}]`)).join('');
  function evaluatePath(path, lane) {
    const simple = path.every((p) => typeof p === 'string' || 'number' in p);
    const variable = simple ? run.lookup(pathText(path), lane) : null;
    if (variable) return variable;
    if (path.length === 1) {
      const root = run.root(path[0], lane);
      if (root) return {v: root.address, bits: 64};
      throw new Unknown(`no value of ${path[0]}`);
    }
    const at = place(path, lane);
    if (!at) throw new Unknown(`no place of ${pathText(path)}`);
    return run.memory(at.space, at.address);
  }
  const arithmetic = (op, a, b) => {
    if ('f' in a || 'f' in b) {
      const x = real(a), y = real(b), f = {'+': x.f + y.f, '-': x.f - y.f, '*': x.f * y.f, '/': x.f / y.f}[op];
      const size = op === '+' || op === '-' ? Math.max(Math.abs(x.f), Math.abs(y.f), x.size, y.size) : Math.abs(f);
      return {f, size: Math.max(size, Math.abs(f))};
    }
    const bits = Math.max(a.bits, b.bits, 32), wa = wrap({...a, bits}), wb = wrap({...b, bits});
    switch (op) {
      case '+': return {v: a.v + b.v, bits};
      case '-': return {v: a.v - b.v, bits};
      case '*': return {v: a.v * b.v, bits};
      case '/': case '%': if (wb === 0n) throw new Unknown('division by 0'); return {v: op === '/' ? wa / wb : wa % wb, bits};
      case '<<': return {v: wb < 0n || wb >= BigInt(bits) ? 0n : a.v << wb, bits};
      case '>>': return {v: wa >> (wb > 63n || wb < 0n ? 63n : wb), bits};
      case '&': return {v: a.v & b.v, bits};
      case '|': return {v: a.v | b.v, bits};
      case '^': return {v: a.v ^ b.v, bits};
    }
    throw new Unknown(op);
  };
  const compare = (op, a, b) => {
    const floats = 'f' in a || 'f' in b, bits = floats ? 0 : Math.max(a.bits, b.bits, 32);
    const x = floats ? real(a).f : a.cast ? a.v : wrap({...a, bits}), y = floats ? real(b).f : b.cast ? b.v : wrap({...b, bits});
    return bool({'<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y, '==': x === y, '!=': x !== y}[op]);
  };
  const cast = (type, a) => {
    if (/float|double|half/.test(type)) return real(a);
    if ('f' in a) return {v: BigInt(Math.trunc(Number.isFinite(a.f) ? a.f : 0)), bits: 32};
    const bits = type.includes('short') ? 16 : type.includes('char') ? 8 : type.includes('size_t') ? 64 : type === 'unsigned' ? Math.max(a.bits, 32) : 32;
    return {v: type.includes('unsigned') || type === 'size_t' ? BigInt.asUintN(bits, a.v) : BigInt.asIntN(bits, a.v), bits: Math.max(bits, 32), cast: true};
  };
  const call = (tree, lane) => {
    const list = tree.list.map((x) => evaluate(x, lane));
    if (tree.name === 'min' || tree.name === 'max') {
      const less = truth(compare('<', list[0], list[1]));
      return (tree.name === 'min') === less ? list[0] : list[1];
    }
    if (tree.name === 'popc') return {v: BigInt([...BigInt.asUintN(list[0].bits, list[0].v).toString(2)].filter((c) => c === '1').length), bits: 32};
    if (tree.name === 'abs' && 'v' in list[0]) { const v = BigInt.asIntN(list[0].bits, list[0].v); return {v: v < 0n ? -v : v, bits: list[0].bits}; }
    if (!(tree.name in FUNCTIONS)) throw new Unknown(`no function ${tree.name}`);
    const f = FUNCTIONS[tree.name](real(list[0]).f);
    return {f, size: Math.abs(f) * 100, rough: true};
  };
  function evaluate(tree, lane) {
    if ('number' in tree) return number(tree.number);
    if ('path' in tree) return evaluatePath(tree.path, lane);
    if (tree.op === '?') return evaluate(truth(evaluate(tree.a, lane)) ? tree.b : tree.c, lane);
    if (tree.op === '&&') return bool(truth(evaluate(tree.a, lane)) && truth(evaluate(tree.b, lane)));
    if (tree.op === '||') return bool(truth(evaluate(tree.a, lane)) || truth(evaluate(tree.b, lane)));
    if (tree.op === 'call') return call(tree, lane);
    if (tree.op === 'bytes') return bytesOf(tree.a, lane);
    if (tree.op === 'unary &') {
      const at = tree.a.path && place(tree.a.path, lane);
      if (!at) throw new Unknown('no place');
      return {v: at.address, bits: 64};
    }
    if (tree.op === 'unary *') throw new Unknown('memory by bytes');
    const a = evaluate(tree.a, lane);
    if (tree.op.startsWith('(')) return cast(tree.op.slice(1, -1), a);
    if (tree.op === 'unary -') return 'f' in a ? {f: -a.f, size: a.size} : {v: -a.v, bits: a.bits};
    if (tree.op === 'unary !') return bool(!truth(a));
    if (tree.op === 'unary ~') return {v: ~a.v, bits: a.bits};
    const b = evaluate(tree.b, lane);
    return ['<', '<=', '>', '>=', '==', '!='].includes(tree.op) ? compare(tree.op, a, b) : arithmetic(tree.op, a, b);
  }
  function bytesOf(tree, lane) { // `in + 16 bytes`
    if (!['+', '-'].includes(tree.op) || !tree.a.path) throw new Unknown('bytes of what?');
    const root = run.root(tree.a.path[0], lane), offset = evaluate(tree.b, lane).v;
    if (!root) throw new Unknown('no root');
    return {v: tree.op === '+' ? root.address + offset : root.address - offset, bits: 64};
  }
  return {evaluate, place};
}

// --- walking a trace ---------------------------------------------------------------------------------------
const BUILTIN = /^(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])$/;
const VARIABLE = /^[A-Za-z_]\w*(\.\w+|\[\d+\])*$/;

function builtin(launch, trace, warp, name, lane) {
  const [, what, axis] = BUILTIN.exec(name), k = 'xyz'.indexOf(axis), thread = 32 * warp + lane, [x, y] = launch.block;
  if (what !== 'threadIdx') return {blockIdx: trace.block, blockDim: launch.block, gridDim: launch.grid}[what][k];
  return [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))][k];
}

// The operands of an instruction's text: "st.shared.f32 [%rd4], %f60" gives ["[%rd4]", "%f60"].
function operandsOf(text) {
  const list = text.replace(/^@!?\S+ /, '').replace(/^\S+ ?/, '');
  return list.match(/\{[^}]*\}|\[[^\]]*\]|[^,\s]+/g) || [];
}

// Memory is what the warp itself has last read or written there: others may have gone on.
class Walk {
  constructor(record, launch, found) {
    this.record = record; this.launch = launch; this.trace = launch.trace; this.found = found;
    this.source = record.files.map((f) => f.lines.join('\n')).join('\n');
    this.warps = new Map(); this.shapes = new Map(); this.trees = new Map();
    this.parameters = new Set();
  }
  warp(w) {
    if (!this.warps.has(w)) this.warps.set(w, {variables: new Map(), registers: new Map(), memory: new Map()});
    return this.warps.get(w);
  }
  shape(name) {
    if (!this.shapes.has(name)) this.shapes.set(name, shapeOf(name, this.launch.kernel, this.source));
    return this.shapes.get(name);
  }
  tree(text) {
    if (!this.trees.has(text)) { try { this.trees.set(text, parse(text)); } catch (e) { if (!(e instanceof Unknown)) throw e; this.trees.set(text, null); } }
    return this.trees.get(text);
  }
  value(raw, type) {
    if (type === 'f32' || type === 'f64') { const f = asFloat(raw, type); return {f, size: Math.abs(f)}; }
    const bits = typeBits(type);
    return {v: bits >= 32 ? BigInt.asIntN(bits, raw) : raw, bits};
  }
  // Values as an instruction finds them; addresses as registers hold them, or as accesses count them.
  run(w, signed, ofAccess) {
    const own = this.warp(w), self = this;
    return {signed,
      lookup(name, lane) {
        if (BUILTIN.test(name)) return {v: BigInt(builtin(self.launch, self.trace, w, name, lane)), bits: 32};
        const known = own.variables.get(name);
        if (known && ofAccess === true && self.trace.shared.some((s) => s[0] === name)) return null;
        if (known && known.lanes[lane] === undefined) throw new Unknown(`${name} has no value`);
        return known ? (known.type === 'pred' ? {v: known.lanes[lane], bits: 1} : self.value(known.lanes[lane], known.type)) : null;
      },
      root(name, lane) {
        const shared = self.trace.shared.find((s) => s[0] === name), known = own.variables.get(name);
        const shape = self.shape(name);
        if (shared && (ofAccess || !known)) return {address: BigInt(shared[1]), space: 'shared', shape};
        if (known) return {address: known.lanes[lane], space: shared ? 'shared' : 'global', shape, base: shared ? known.lanes[lane] - BigInt(shared[1]) : 0n};
        const array = self.launch.accesses.find((a) => a.array === name && a.begin);
        return array ? {address: BigInt('0x' + array.begin), space: 'global', shape} : null;
      },
      memory(space, address) {
        const shared = self.trace.shared.length && space === 'shared';
        const word = own.memory.get(`${shared ? 'shared' : 'global'}:${address}`);
        if (!word) throw new Unknown('memory that the trace has not seen');
        return self.value(word.raw, word.type);
      }};
  }
  // Does the name give this value in all lanes? undefined: it cannot be evaluated.
  matches(w, tree, lanes, values, type) {
    let seen = false;
    for (const signed of [true, false]) {
      const {evaluate} = evaluator(this.run(w, signed, false));
      let good = true;
      try {
        for (let lane = 0; lane < 32 && good; lane++) if (lanes >>> lane & 1) good = this.same(evaluate(tree, lane), values[lane], type);
      } catch (e) {
        if (!(e instanceof Unknown)) throw e;
        this.reason = e.message;
        continue;
      }
      seen = true;
      if (good) return true;
    }
    return seen ? false : undefined;
  }
  same(x, raw, type) {
    if (type === 'pred') return ('f' in x ? x.f !== 0 : x.v !== 0n) === (raw !== 0n);
    if (type === 'f32' || type === 'f64') {
      const wanted = asFloat(raw, type), got = 'f' in x ? x.f : Number(x.v);
      if (!('f' in x) && x.bits === typeBits(type) && BigInt.asUintN(x.bits, x.v) === raw) return true; // the same bits
      return Object.is(got, wanted) || (Number.isNaN(got) && Number.isNaN(wanted)) || Math.abs(got - wanted) <= 1e-5 * Math.max(x.size || 0, Math.abs(wanted));
    }
    const bits = typeBits(type);
    if ('f' in x) { BITS.setFloat32(0, x.f, true); return BigInt(BITS.getUint32(0, true)) === raw; }
    return [x.v, BigInt.asIntN(x.bits, x.v), BigInt.asUintN(x.bits, x.v)].some((v) => BigInt.asUintN(bits, v) === BigInt.asUintN(bits, raw));
  }
  placeMatches(w, tree, lanes, addresses, step) {
    const {place} = evaluator(this.run(w, true, true));
    try {
      for (let lane = 0; lane < 32; lane++) {
        if (!(lanes >>> lane & 1)) continue;
        const at = place(tree.path, lane);
        if (!at || this.shape(tree.path[0]) === null) { this.reason = 'no shape'; return undefined; }
        if (at.address !== addresses[lane] + step) return false;
      }
    } catch (e) {
      if (!(e instanceof Unknown)) throw e;
      this.reason = e.message;
      return undefined;
    }
    return true;
  }
  note(insn, k, good, text) {
    const key = `${this.launch.kernel} ${insn} ${k}`;
    if (good === undefined) { if (!this.found.unknown.has(key)) this.found.unknown.set(key, `${text}: ${this.reason}`); return; }
    this.found.checked.add(key);
    if (!good) this.found.wrong.set(key, text);
  }
  // `x = ...;` of the line, as a tree; null: there is no such statement, or it is not understood.
  statement(file, line, name) {
    const text = file >= 0 && this.record.files[file].lines[line - 1] || '';
    const escaped = name.replace(/[.[\]]/g, '\\$&');
    const found = new RegExp(`(?:^|[^\\w.>])${escaped}\\s*=\\s*([^=;,][^;,]*)[;,]`).exec(text);
    if (!found || /\bfor\b|\bif\b|\bwhile\b/.test(text) || text.split(/(?<![<>=!])=(?!=)/).length > 3 || (found[1].match(/\(/g) || []).length !== (found[1].match(/\)/g) || []).length) return null;
    return this.tree(found[1].replace(/\(size_t\)|\(long\)/g, '').replace(/\s+/g, ' '));
  }
  step(s, index) {
    const [warp, insn, lanes, , , access, values] = s, own = this.warp(warp);
    const [file, line, text, registers, names = {}] = this.trace.instructions[insn];
    const a = access >= 0 ? this.trace.accesses[access] : null, addresses = a && lanesOfVector(this.trace.vectors[a[4]]);
    const written = values.map((v, k) => (v < 0 ? null : {name: registers[2 * k], type: registers[2 * k + 1], lanes: lanesOfVector(this.trace.vectors[v]), label: names[registers[2 * k]]}));
    const isLoad = a && a[0] === 'load', vector = Math.max(1, written.length);
    written.forEach((w, k) => {
      if (!w || !w.label || lanes === 0) return;
      const where = `${this.launch.kernel}:${line} ${text} ${w.name} "${w.label}"`;
      if (BUILTIN.test(w.label)) { this.note(insn, k, w.lanes.every((v, lane) => !(lanes >>> lane & 1) || v === BigInt(builtin(this.launch, this.trace, warp, w.label, lane))), where); return; }
      if (VARIABLE.test(w.label) && !(isLoad && this.shape(w.label.replace(/[.[].*/, '')))) {
        const tree = this.statement(file, line, w.label);
        if (tree) { const good = this.matches(warp, tree, lanes, w.lanes, w.type); if (good === true) this.found.statements++; else if (good === false) this.found.odd.set(`${this.launch.kernel} ${insn}`, where); }
        return;
      }
      const tree = this.tree(w.label);
      if (!tree) { this.reason = 'not parsed'; if (w.label.includes('\u2026')) this.somewhere(insn, k, w, lanes, a, addresses, where); else this.note(insn, k, undefined, where); return; }
      if (isLoad && tree.path) this.note(insn, k, this.placeMatches(warp, tree, a[3], addresses, BigInt(k * a[2] / vector)), where);
      else this.note(insn, k, this.matches(warp, tree, lanes, w.lanes, w.type), where);
    });
    this.apply(own, written, text, lanes, a, addresses, vector, isLoad);
  }
  // `in + …`, `in[…]`: at least in that array, or just behind it.
  somewhere(insn, k, w, lanes, a, addresses, where) {
    const name = w.label.replace(/ \+ \u2026|\[\u2026\]/, ''), isElement = w.label.includes('[');
    const arrays = this.launch.accesses.filter((x) => x.array === name && x.begin).map((x) => [BigInt('0x' + x.begin), BigInt(x.array_bytes)]);
    const shared = this.trace.shared.filter((x) => x[0] === name).map((x) => [BigInt(x[1]), BigInt(x[2])]);
    const list = isElement && a ? addresses : w.lanes, slack = 1n << 20n;
    if (arrays.length + shared.length === 0 || (isElement && !a)) { this.reason = 'no array of that name'; this.note(insn, k, undefined, where); return; }
    const inside = (v) => isElement ? [...arrays, ...shared].some(([b, n]) => v >= b && v < b + n) : [...arrays, ...shared].some(([b, n]) => v + slack >= b && v < b + n + slack);
    if (!isElement && shared.length) { this.reason = 'generic address'; this.note(insn, k, undefined, where); return; }
    this.note(insn, k, list.every((v, lane) => !((a ? a[3] : lanes) >>> lane & 1) || inside(v)), where);
  }
  apply(own, written, text, lanes, a, addresses, vector, isLoad) {
    if (a && a[0] !== 'load') {
      const operand = operandsOf(text)[1] || '', list = operand.startsWith('{') ? operand.slice(1, -1).split(/,\s*/) : [operand];
      for (let lane = 0; lane < 32; lane++) {
        if (!(a[3] >>> lane & 1)) continue;
        list.forEach((o, k) => {
          const key = `${a[1]}:${addresses[lane] + BigInt(k * a[2] / list.length)}`, register = own.registers.get(o);
          if (a[0] === 'store' && register) own.memory.set(key, {raw: register.lanes[lane], type: register.type}); else own.memory.delete(key);
        });
      }
    }
    written.forEach((w, k) => {
      if (!w) return;
      const held = own.registers.get(w.name); // a variable that was here is nowhere, as far as anybody says
      if (held && held.label && held.label !== w.label && (own.variables.get(held.label) || {}).register === w.name) own.variables.delete(held.label);
      own.registers.set(w.name, w);
      if (isLoad) for (let lane = 0; lane < 32; lane++) if (a[3] >>> lane & 1) own.memory.set(`${a[1]}:${addresses[lane] + BigInt(k * a[2] / vector)}`, {raw: w.lanes[lane], type: w.type});
      if (!w.label || !VARIABLE.test(w.label) || BUILTIN.test(w.label)) return;
      const before = own.variables.get(w.label);
      own.variables.set(w.label, {type: w.type, register: w.name, lanes: w.lanes.map((v, lane) => (lanes >>> lane & 1 ? v : before && before.lanes[lane]))});
      if (text.startsWith('ld.param')) this.parameters.add(w.label);
    });
  }
  gap(warp) { // what left-out rounds have done is not known
    const own = this.warp(warp);
    for (const name of [...own.variables.keys()]) if (!this.parameters.has(name)) own.variables.delete(name);
    own.registers.clear();
    own.memory.clear();
  }
  all() {
    const gaps = new Map((this.trace.gaps || []).map((g) => [g[0], g[1]]));
    this.trace.steps.forEach((s, index) => { if (gaps.has(index)) this.gap(gaps.get(index)); this.step(s, index); });
  }
}

function namesOf(record) {
  const found = {checked: new Set(), wrong: new Map(), unknown: new Map(), odd: new Map(), statements: 0}, seen = new Set();
  let registers = 0, named = 0, share = 0; // share: of each kernel's registers, added up
  for (const launch of record.launches) {
    if (!launch.trace || seen.has(launch.kernel)) continue;
    seen.add(launch.kernel);
    let own = 0, ownNamed = 0;
    for (const [, line, text, list, names = {}] of launch.trace.instructions) {
      const labels = list.filter((x, i) => i % 2 === 0 && x in names).map((x) => names[x]);
      own += list.length / 2;
      ownNamed += labels.length;
      const variables = labels.filter((label) => !label.includes('\u2026')); // of one instruction's registers, each another one
      if (new Set(variables).size < variables.length) found.odd.set(`${launch.kernel} ${text}`, `${launch.kernel}, line ${line}: ${text}: ${variables.join(', ')}`);
    }
    registers += own;
    named += ownNamed;
    share += own > 0 ? ownNamed / own : 1;
    new Walk(record, launch, found).all();
  }
  for (const key of found.checked) found.unknown.delete(key);
  return {kernels: seen.size, registers, named, share, checked: found.checked.size, statements: found.statements, wrong: [...found.wrong.values()], odd: [...found.odd.values()], unknown: [...found.unknown.values()]};
}
if (typeof module !== 'undefined') module.exports = {namesOf};
