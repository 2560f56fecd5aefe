/* speed.js - how many times as long the simulator takes in WebAssembly as natively, in processor time of one thread:
 * the figures of common/site/README.md. Not a test, since times depend on the machine.
 * usage: common/site/make --tests && node tests/site/speed.js */
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { engineOpen } = require('../../common/site/pages/engine.js');

const REPEATS = 6, BATCH = 10;
const top = path.join(__dirname, '../..'), objects = path.join(top, 'build/site-objects');
const buffers = (...list) => list.map(text => `buffer ${text}\nargument pointer ${text.split(' ')[0]}\n`).join('');

/* Eight pairs of fma in a loop of 200 rounds: next to nothing else. */
const fma = `.version 7.0
.target sm_80
.address_size 64
.visible .entry fma(.param .u64 out)
{
    .reg .b64 %out;
    .reg .b32 %k;
    .reg .f32 %a, %b;
    .reg .pred %p;
    ld.param.u64 %out, [out];
    mov.f32 %a, 0f3F012345;
    mov.f32 %b, 0f3E812345;
    mov.u32 %k, 0;
again:
${'    fma.rn.f32 %a, %a, 0f3F7FF123, 0f3F012345;\n    fma.rn.f32 %b, %b, 0f3F7FF123, 0f3E812345;\n'.repeat(8)}    add.u32 %k, %k, 1;
    setp.lt.u32 %p, %k, 200;
    @%p bra again;
    add.f32 %a, %a, %b;
    st.global.f32 [%out], %a;
    ret;
}
`;
const product = 'grid 16 16\nblock 16 16\n' + buffers('A 65536 f32 random', 'B 65536 f32 random', 'C 65536 f32') + 'argument s32 256\n'.repeat(3);
const rows = {
    'naive product, 256 x 256': ['step01_naive-main.cu', '_Z12matmul_naivePKfS0_Pfiii', product],
    'tiled product, 256 x 256': ['step02_tiled-harness-core.cu', '_Z12matmul_tiledILi16EEvPKfS1_Pfiii', product],
    'reduction, 1,048,576 floats': ['step05_reduction-harness-rungs_block.cu', '_Z18reduce_interleavedIf6op_sumIfEEvPKT_jPS2_',
        'grid 2048\nblock 512\n' + buffers('in 1048576 f32 random') + 'argument u32 1048576\n' + buffers('partials 2048 f32')],
    'fma alone': ['fma', 'fma', 'grid 64\nblock 256\n' + buffers('out 1 f32')],
};

const engine = engineOpen(fs.readFileSync(path.join(objects, 'engine.wasm')));
fs.writeFileSync(path.join(objects, 'fma.ptx'), fma);
const least = measure => Math.min(...Array.from({ length: REPEATS }, measure));

/* User time of the native program, as the shell has it, in milliseconds. */
function native(ptx, requests) {
    const command = `"${objects}/native" "m=${ptx}" >/dev/null; times`;
    const ran = spawnSync('sh', ['-c', command], { input: requests, encoding: 'utf8' });
    const [, minutes, seconds] = /(\d+)m([\d.]+)s \S+\s*$/.exec(ran.stdout);
    return 1000 * (60 * minutes + Number(seconds));
}

for (const [name, [file, kernel, launch]] of Object.entries(rows)) {
    const ptx = path.join(objects, `${file}.ptx`), request = `module m\nkernel ${kernel}\n${launch}\n`;
    engine.module('m', fs.readFileSync(ptx, 'utf8'));
    const here = least(() => {
        const before = process.cpuUsage().user;
        engine.runText(request);
        return (process.cpuUsage().user - before) / 1000;
    });
    const there = (least(() => native(ptx, request.repeat(BATCH + 1))) - least(() => native(ptx, request))) / BATCH;
    console.log(`${name}: ${here.toFixed(1)} ms, natively ${there.toFixed(1)} ms: ${(here / there).toFixed(1)} times`);
}
