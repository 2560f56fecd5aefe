/* occupancy.js - lesson 06: blocks that an SM holds, by registers, shared memory, block size and GPU; waves. */
course.figures['06-occupancy'] = {
    question: 'How many blocks of this kernel does an SM hold?',
    heading: 'computed', /* by common/gpu/occupancy.c, as NVIDIA's occupancy calculator does */
    controls: [
        { name: 'held', label: 'floats held', choices: [['0', '0'], ['16', '16'], ['32', '32'], ['64', '64'], ['112', '112'], ['208', '208']] },
        { name: 'warps', label: 'warps of a block', min: 1, max: 32, value: 8 },
        { name: 'shared', label: 'shared memory, KiB', min: 0, max: 227, value: 0 },
        { name: 'blocks', label: 'blocks of the grid', min: 1, max: 4000, value: 1500 },
        { name: 'gpu', label: 'GPU', value: 'h200', choices: gpus => gpus.filter(gpu => !gpu.counts_threads).map(gpu => [gpu.short, gpu.name]) },
    ],
    /* One block runs: what an SM holds does not depend on the grid. */
    request: v => `gpu ${v.gpu}\nkernel ${v.kernel(new RegExp(`Li${v.held}E`))}\ngrid 1\nblock ${32 * v.warps}\nshared ${1024 * v.shared}
        buffer in 4096 f32 ones\nbuffer out 4096 f32\nargument pointer in\nargument pointer out\nargument u32 1024`,
    /* What the block takes of each resource, and how many blocks each alone would allow. */
    resources(v, launch) {
        const has = v.gpus.find(gpu => gpu.short === v.gpu), up = (value, unit) => Math.ceil(value / unit) * unit;
        const ofWarp = up(32 * launch.occupancy.registers, has.register_unit);
        const warps = has.warp_unit * Math.floor(has.registers_per_sm / has.warp_unit / ofWarp);
        const bytes = up(1024 * v.shared + has.shared_bytes_reserved, has.shared_unit);
        return { has, list: [
            ['warps', v.warps, has.max_warps_per_sm, Math.floor(has.max_warps_per_sm / v.warps)],
            ['blocks', 1, has.max_blocks_per_sm, has.max_blocks_per_sm],
            ['registers', ofWarp * v.warps, has.registers_per_sm, Math.floor(warps / v.warps)],
            ['shared bytes', bytes, has.shared_bytes_per_sm, bytes === 0 ? Infinity : Math.floor(has.shared_bytes_per_sm / bytes)],
        ] };
    },
    rows(v, launch) {
        const { has, list } = this.resources(v, launch), o = launch.occupancy, blocks = Math.min(...list.map(([, , , allowed]) => allowed));
        const waves = ofSm => Math.ceil(v.blocks / (has.sm_count * ofSm)), last = ofSm => v.blocks - (waves(ofSm) - 1) * has.sm_count * ofSm;
        return [
            ['blocks of an SM', blocks, o.blocks],
            ['warps of an SM', blocks * v.warps, o.warps],
            ['waves of the grid', waves(blocks), waves(o.blocks)],
            ['blocks of the last wave', last(blocks), last(o.blocks)],
            ['registers of a thread (estimated)', null, o.registers],
            ['what stops another block', null, o.limiter],
        ];
    },
    draw(v, launch) {
        const { list } = this.resources(v, launch), svg = drawing(640, list.length * 24 + 4, 'What the blocks of an SM take of each resource');
        list.forEach(([what, taken, all], row) => {
            shape(svg, 'text', { x: 0, y: 16 + 24 * row }, what);
            shape(svg, 'rect', { x: 90, y: 3 + 24 * row, width: 540, height: 18, fill: 'none', stroke: 'var(--ink)' });
            for (let block = 0; block < launch.occupancy.blocks; block++) {
                shape(svg, 'rect', { x: 90 + 540 * block * taken / all, y: 3 + 24 * row, width: Math.max(1, 540 * taken / all - 1), height: 18,
                    fill: taken > 0 ? 'var(--accent)' : 'none' });
            }
        });
        return svg;
    },
};
