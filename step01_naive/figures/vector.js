/* vector.js - lesson 01: blocks over a vector, and the threads that have no element. */
course.figures['01-vector'] = {
    question: 'How many threads find no element, and leave at the guard?',
    asked: 2,
    controls: [
        { name: 'n', label: 'elements n', min: 1, max: 2000, value: 1000 },
        { name: 'block', label: 'threads of a block', choices: [['256', '256'], ['32', '32'], ['64', '64'], ['128', '128'], ['512', '512'], ['1024', '1024'], ['96', '96']] },
    ],
    request(v) {
        return `kernel ${v.kernel(/vector_add/)}\ngrid ${Math.ceil(v.n / v.block)}\nblock ${v.block}
            buffer a ${v.n} f32 index\nbuffer b ${v.n} f32 ones\nbuffer c ${v.n} f32
            argument pointer a\nargument pointer b\nargument pointer c\nargument s32 ${v.n}\nread c ${v.n - 1} 1\nwatch`;
    },
    rows(v, launch, answer) {
        const blocks = Math.ceil(v.n / v.block), threads = blocks * v.block, c = launch.counters;
        return [
            ['blocks: n / block, rounded up', blocks, launch.grid[0]],
            ['warps', threads / 32, c.warps],
            ['threads without an element', threads - v.n, launch.grid[0] * launch.block[0] - launch.accesses.find(access => access.kind === 'store').lanes],
            ['store requests: warps with an element', Math.ceil(v.n / 32), c.global_store_requests],
            ['warps that the guard divides', v.n % 32 === 0 ? 0 : 1, c.divergent_branches],
            ['c[n - 1]', v.n, answer.values[0][0]],
        ];
    },
    draw(v, launch) {
        const perBlock = v.block / 32, blocks = launch.grid[0], across = Math.max(1, Math.floor(64 / perBlock)), cell = 10;
        const svg = drawing(across * (perBlock * cell + 6), Math.ceil(blocks / across) * 18 + 4, `${blocks} blocks over ${v.n} elements`);
        for (let block = 0; block < blocks; block++) {
            const x = block % across * (perBlock * cell + 6), y = Math.floor(block / across) * 18 + 2;
            for (let warp = 0; warp < perBlock; warp++) {
                const inside = Math.max(0, Math.min(32, v.n - block * v.block - warp * 32));
                shape(svg, 'rect', { x: x + warp * cell + 1, y: y + 1, width: (cell - 1) * inside / 32, height: 12, fill: 'var(--accent)' });
                shape(svg, 'rect', { x: x + warp * cell + 1, y: y + 1, width: cell - 1, height: 12, fill: 'none', stroke: 'var(--line)' });
            }
            shape(svg, 'rect', { x, y, width: perBlock * cell + 2, height: 14, fill: 'none', stroke: 'var(--ink)' });
        }
        return svg;
    },
};
