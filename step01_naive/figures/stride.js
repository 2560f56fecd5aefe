/* stride.js - lesson 01: a grid-stride loop, by the number of elements, blocks and threads. */
course.figures['01-stride'] = {
    question: 'How many rounds does the first thread of the grid make?',
    controls: [
        { name: 'n', label: 'elements n, in whole warps', min: 32, max: 4000, step: 32, value: 992 },
        { name: 'blocks', label: 'blocks', min: 1, max: 16, value: 3 },
        { name: 'block', label: 'threads of a block', choices: [['64', '64'], ['32', '32'], ['128', '128'], ['256', '256']] },
    ],
    request(v) {
        return `kernel ${v.kernel(/add_striding/)}\ngrid ${v.blocks}\nblock ${v.block}
            buffer a ${v.n} f32 index\nbuffer b ${v.n} f32 ones\nbuffer c ${v.n} f32
            argument pointer a\nargument pointer b\nargument pointer c\nargument s32 ${v.n}\nread c ${v.n - 1} 1`;
    },
    /* The first warp takes part in every round; a later one may find no element in the last. */
    rows(v, launch, answer) {
        const c = launch.counters, threads = v.blocks * v.block, warps = threads / 32, rounds = Math.ceil(v.n / threads);
        const idle = rounds * warps - Math.ceil(v.n / 32);
        return [
            ['rounds of the first thread', rounds, (c.global_store_requests + idle) / warps],
            ['warps without an element in the last round', idle, rounds * warps - c.global_store_requests],
            ['threads of the grid', threads, launch.grid[0] * launch.block[0]],
            ['load requests: 2 a round for each warp with an element', 2 * Math.ceil(v.n / 32), c.global_load_requests],
            ['load sectors', 2 * Math.ceil(v.n / 8), c.global_load_sectors],
            ['c[n - 1]', v.n, answer.values[0][0]],
        ];
    },
    draw(v) {
        const threads = v.blocks * v.block, rounds = Math.ceil(v.n / threads), shown = Math.min(rounds, 16), wide = 560;
        const svg = drawing(wide + 90, shown * 20 + (rounds > shown ? 22 : 4), `${rounds} rounds of ${v.blocks} blocks over ${v.n} elements`);
        for (let round = 0; round < shown; round++) {
            shape(svg, 'text', { x: 0, y: 16 + round * 20 }, `round ${round + 1}`);
            for (let block = 0; block < v.blocks; block++) {
                const first = round * threads + block * v.block, inside = Math.max(0, Math.min(v.block, v.n - first));
                const x = 80 + wide * block / v.blocks, width = wide / v.blocks;
                shape(svg, 'rect', { x, y: 4 + round * 20, width: width * inside / v.block, height: 14, fill: 'var(--accent)',
                    'fill-opacity': block % 2 === 0 ? 1 : 0.6 });
                shape(svg, 'rect', { x, y: 4 + round * 20, width, height: 14, fill: 'none', stroke: 'var(--line)' });
            }
        }
        if (rounds > shown) {
            shape(svg, 'text', { x: 80, y: 16 + shown * 20 }, `and ${rounds - shown} more rounds`);
        }
        return svg;
    },
};
