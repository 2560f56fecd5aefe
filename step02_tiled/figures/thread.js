/* thread.js - lesson 02: what a thread tile of 8 x 8 reads from shared memory for its multiplications. */
course.figures['02-thread'] = {
    question: 'How many multiplications does one wavefront of a read feed?',
    controls: [
        { name: 'm', label: 'rows m', min: 64, max: 256, step: 64, value: 128 },
        { name: 'n', label: 'columns n', min: 64, max: 256, step: 64, value: 128 },
        { name: 'k', label: 'depth k', min: 8, max: 48, step: 4, value: 16 },
    ],
    grid: v => [Math.ceil(v.n / 128), Math.ceil(v.m / 128)],
    request(v) {
        return `kernel ${v.kernel(/matmul_vectorised/)}\ngrid ${this.grid(v).join(' ')}\nblock 256
            buffer a ${v.m * v.k} f32 ones\nbuffer b ${v.k * v.n} f32 ones\nbuffer c ${v.m * v.n} f32
            argument struct\nfield 0 pointer a\nfield 8 pointer b\nfield 16 pointer c
            field 24 s32 ${v.m}\nfield 28 s32 ${v.n}\nfield 32 s32 ${v.k}\nfield 36 u8 1\nread c 0 1`;
    },
    /* In a step of k a warp reads 16 bytes a lane four times. Of A its lanes want two places: one wavefront for each half
     * of the warp. Of B they want 16 places, 32 bytes apart, in half of the banks: eight wavefronts, where four would do. */
    rows(v, launch, answer) {
        const c = launch.counters, [across, down] = this.grid(v), warps = 8 * across * down, tiles = Math.ceil(v.k / 8), steps = 8 * tiles;
        const products = warps * steps * 32 * 64, reads = warps * steps * 2 * (2 + 8);
        return [
            ['multiplications for each wavefront of a read', products / reads, products / c.shared_load_wavefronts],
            ['wavefronts of reading the tiles', reads, c.shared_load_wavefronts],
            ['bank conflicts of these reads', warps * steps * 2 * 4, c.shared_load_conflicts],
            ['barriers: 2 a tile for each warp', 2 * tiles * warps, c.barriers],
            ['C[0][0]: a sum of k ones', v.k, answer.values[0][0]],
        ];
    },
    draw() {
        const svg = drawing(640, 300, 'The threads of a block, and what one of them reads and multiplies');
        const cells = (x, y, columns, rows, size, fill) => {
            for (let i = 0; i < columns * rows; i++) {
                shape(svg, 'rect', { x: x + i % columns * size, y: y + Math.floor(i / columns) * size, width: size - 1, height: size - 1,
                    fill: fill(i), stroke: 'var(--line)' });
            }
        };
        shape(svg, 'text', { x: 0, y: 14 }, '128 x 128 elements of C, 256 threads');
        cells(0, 24, 16, 16, 16, thread => (thread < 32 ? 'var(--accent)' : 'none'));
        shape(svg, 'text', { x: 390, y: 14 }, '8 values of B');
        cells(390, 24, 8, 1, 24, () => 'var(--accent)');
        cells(356, 58, 1, 8, 24, () => 'var(--accent)');
        cells(390, 58, 8, 8, 24, () => 'var(--line)');
        shape(svg, 'text', { x: 300, y: 150 }, '8 of A');
        shape(svg, 'text', { x: 390, y: 272 }, '64 multiplications, 64 sums');
        return svg;
    },
};
