/* grid.js - lesson 01: blocks over the result of a product, and what a warp's lie costs. */
course.figures['01-grid'] = {
    question: 'How many blocks cover the result?',
    controls: [
        { name: 'map', label: 'x runs along', choices: [['row', 'a row of C (matmul_naive)'], ['column', 'a column of C (column_mapped)']] },
        { name: 'm', label: 'rows m', min: 1, max: 96, value: 40 },
        { name: 'n', label: 'columns n', min: 1, max: 96, value: 50 },
        { name: 'bx', label: 'block.x', choices: [['16', '16'], ['8', '8'], ['32', '32'], ['64', '64'], ['4', '4'], ['2', '2'], ['1', '1']] },
        { name: 'by', label: 'block.y', choices: [['16', '16'], ['8', '8'], ['4', '4'], ['2', '2'], ['1', '1']] },
    ],
    shape(v) {
        const block = [Number(v.bx), Number(v.by)], over = v.map === 'row' ? [v.n, v.m] : [v.m, v.n];
        return { block, over, grid: [Math.ceil(over[0] / block[0]), Math.ceil(over[1] / block[1])], k: 8 };
    },
    request(v) {
        const { block, grid, k } = this.shape(v);
        return `kernel ${v.kernel(v.map === 'row' ? /naiveP/ : /column_mapped/)}\ngrid ${grid.join(' ')}\nblock ${block.join(' ')}
            buffer a ${v.m * k} f32 index\nbuffer b ${k * v.n} f32 ones\nbuffer c ${v.m * v.n} f32
            argument pointer a\nargument pointer b\nargument pointer c
            argument s32 ${v.m}\nargument s32 ${v.n}\nargument s32 ${k}\nread c 0 1\nwatch`;
    },
    rows(v, launch, answer) {
        const { block, grid, k } = this.shape(v), c = launch.counters;
        const threads = grid[0] * grid[1] * block[0] * block[1];
        let sectors = 0, requests = 0, stores = 0;
        eachWarp(grid, block, warp => {
            const inside = warp.map(([x, y]) => (v.map === 'row' ? [y, x] : [x, y])).filter(([row, column]) => row < v.m && column < v.n);
            for (let i = 0; i < k && inside.length > 0; i++) {
                sectors += sectorsOf(inside.map(([row]) => 4 * (row * k + i)), 4) + sectorsOf(inside.map(([, column]) => 4 * (i * v.n + column)), 4);
                requests += 2;
            }
            stores += inside.length > 0 ? sectorsOf(inside.map(([row, column]) => 4 * (row * v.n + column)), 4) : 0;
        });
        return [
            ['blocks', grid[0] * grid[1], launch.grid[0] * launch.grid[1]],
            ['warps', grid[0] * grid[1] * Math.ceil(block[0] * block[1] / 32), c.warps],
            ['threads without an element', threads - v.m * v.n, threads - launch.accesses.find(access => access.kind === 'store').lanes],
            ['load requests', requests, c.global_load_requests],
            ['load sectors', sectors, c.global_load_sectors],
            ['store sectors', stores, c.global_store_sectors],
            ['C[0][0]: the sum of 0 to 7', 28, answer.values[0][0]],
        ];
    },
    draw(v, launch) {
        const { block, over, grid } = this.shape(v), turned = v.map === 'column';
        const size = turned ? [grid[1] * block[1], grid[0] * block[0]] : [grid[0] * block[0], grid[1] * block[1]];
        const scale = Math.min(6, 400 / size[0], 400 / size[1]), svg = drawing(size[0] * scale + 4, size[1] * scale + 4, `${grid[0] * grid[1]} blocks over C`);
        const place = (x, y, width, height, more) => shape(svg, 'rect', { x: 2 + scale * (turned ? y : x), y: 2 + scale * (turned ? x : y),
            width: scale * (turned ? height : width), height: scale * (turned ? width : height), ...more });
        for (let by = 0; by < grid[1]; by++) {
            for (let bx = 0; bx < grid[0]; bx++) {
                place(bx * block[0], by * block[1], block[0], block[1], { fill: 'none', stroke: 'var(--faint)' });
            }
        }
        for (let t = 0; t < Math.min(32, block[0] * block[1]); t++) {
            const x = t % block[0], y = Math.floor(t / block[0]);
            place(x, y, 0.9, 0.9, { fill: x < over[0] && y < over[1] ? 'var(--accent)' : 'var(--bad)' });
        }
        place(0, 0, over[0], over[1], { fill: 'none', stroke: 'var(--ink)', 'stroke-width': 2 });
        return svg;
    },
};
