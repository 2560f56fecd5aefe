/* tile.js - lesson 02: loads, phases and barriers of the tiled product, by tile and shape. */
course.figures['02-tile'] = {
    question: 'How many load requests to global memory does the launch make?',
    controls: [
        { name: 'tile', label: 'kernel', choices: [['16', 'tile of 16 x 16'], ['8', 'tile of 8 x 8'], ['32', 'tile of 32 x 32'], ['0', 'naive']] },
        { name: 'm', label: 'rows m', min: 8, max: 96, step: 8, value: 64 },
        { name: 'n', label: 'columns n', min: 8, max: 96, step: 8, value: 64 },
        { name: 'k', label: 'depth k', min: 8, max: 96, step: 8, value: 64 },
    ],
    side: v => Number(v.tile) || 16,
    request(v) {
        const side = this.side(v), kernel = v.tile === '0' ? /naive/ : new RegExp(`Li${v.tile}E`);
        return `kernel ${v.kernel(kernel)}\ngrid ${Math.ceil(v.n / side)} ${Math.ceil(v.m / side)}\nblock ${side} ${side}
            buffer a ${v.m * v.k} f32 ones\nbuffer b ${v.k * v.n} f32 ones\nbuffer c ${v.m * v.n} f32
            argument pointer a\nargument pointer b\nargument pointer c
            argument s32 ${v.m}\nargument s32 ${v.n}\nargument s32 ${v.k}\nread c 0 1\nwatch`;
    },
    /* Loads of every phase: elements outside of A and B are not loaded. In a phase a warp reads each of `side` elements of
     * b on its own, and those of a four at a time, in two wavefronts. */
    rows(v, launch, answer) {
        const side = this.side(v), c = launch.counters, grid = [Math.ceil(v.n / side), Math.ceil(v.m / side)];
        const phases = v.tile === '0' ? 0 : Math.ceil(v.k / side), warps = grid[0] * grid[1] * side * side / 32;
        let requests = 0, sectors = 0;
        const load = list => {
            requests += list.length > 0;
            sectors += sectorsOf(list, 4);
        };
        eachWarp(grid, [side, side], warp => {
            for (let phase = 0; phase < phases; phase++) {
                load(warp.filter(([x, y]) => y < v.m && phase * side + x % side < v.k).map(([x, y]) => 4 * (y * v.k + phase * side + x % side)));
                load(warp.filter(([x, y]) => x < v.n && phase * side + y % side < v.k).map(([x, y]) => 4 * ((phase * side + y % side) * v.n + x)));
            }
            const inside = warp.filter(([x, y]) => x < v.n && y < v.m);
            for (let i = 0; i < v.k && phases === 0 && inside.length > 0; i++) {
                load(inside.map(([, y]) => 4 * (y * v.k + i)));
                load(inside.map(([x]) => 4 * (i * v.n + x)));
            }
        });
        return [
            ['load requests', requests, c.global_load_requests],
            ['load sectors', sectors, c.global_load_sectors],
            ['barriers: 2 a phase for each warp', 2 * phases * warps, c.barriers],
            ['wavefronts of storing tiles', 2 * phases * warps, c.shared_store_wavefronts],
            ['wavefronts of reading them', 1.5 * side * phases * warps, c.shared_load_wavefronts],
            ['C[0][0]: a sum of k ones', v.k, answer.values[0][0]],
        ];
    },
    /* The first request for A and the first for B that were counted: which sectors move. */
    draw(v, launch) {
        const parts = element('div');
        launch.accesses.filter(access => access.kind === 'load' && access.space === 'global').slice(0, 2).forEach((access, i) => {
            const wanted = lanesOfText(access.first.addresses), what = `sectors of the first request for ${'AB'[i]}`;
            parts.append(element('p', {}, `The ${what}; filled is what the lanes want:`), drawRequest(wanted, 4, what));
        });
        return parts;
    },
};
