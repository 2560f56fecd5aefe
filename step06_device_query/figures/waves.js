/* waves.js - lesson 06: the waves of a grid and its last one, by grid, block, shared memory and GPU. */
course.figures['06-waves'] = {
    question: 'In how many waves does the grid run?',
    asked: 2,
    heading: 'computed', /* by common/gpu/occupancy.c */
    controls: [
        { name: 'blocks', label: 'blocks of the grid', min: 1, max: 6000, value: 2200 },
        { name: 'warps', label: 'warps of a block', min: 1, max: 32, value: 8 },
        { name: 'shared', label: 'shared memory, KiB', min: 0, max: 48, value: 0 },
        { name: 'gpu', label: 'GPU', value: 'h200', choices: gpus => gpus.filter(gpu => !gpu.counts_threads).map(gpu => [gpu.short, gpu.name]) },
    ],
    /* One block runs: what an SM holds does not depend on the grid. */
    request: v => `gpu ${v.gpu}\nkernel ${v.kernel(/Li0E/)}\ngrid 1\nblock ${32 * v.warps}\nshared ${1024 * v.shared}
        buffer in 4096 f32 ones\nbuffer out 4096 f32\nargument pointer in\nargument pointer out\nargument u32 1024`,
    /* This kernel has so few registers that warps, blocks or shared memory run out first. */
    held(v) {
        const has = v.gpus.find(gpu => gpu.short === v.gpu);
        const bytes = Math.ceil((1024 * v.shared + has.shared_bytes_reserved) / has.shared_unit) * has.shared_unit;
        return { sms: has.sm_count, blocks: Math.min(Math.floor(has.max_warps_per_sm / v.warps), has.max_blocks_per_sm,
            bytes === 0 ? Infinity : Math.floor(has.shared_bytes_per_sm / bytes)) };
    },
    rows(v, launch) {
        const { sms, blocks } = this.held(v);
        const of = ofSm => {
            const places = sms * ofSm, waves = Math.ceil(v.blocks / places);
            return [ofSm, places, waves, v.blocks - (waves - 1) * places, Math.round(1000 * v.blocks / (waves * places)) / 10];
        };
        const rule = of(blocks), computed = of(launch.occupancy.blocks);
        return ['blocks of an SM', 'places of the GPU', 'waves', 'blocks of the last wave', 'places that are used, %']
            .map((what, i) => [what, rule[i], computed[i]]);
    },
    draw(v, launch) {
        const places = this.held(v).sms * launch.occupancy.blocks, waves = Math.ceil(v.blocks / places), shown = Math.min(waves, 12);
        const svg = drawing(640, shown * 22 + 4, `${waves} waves of ${places} places`);
        for (let row = 0; row < shown; row++) { /* the last ones, where there are many */
            const wave = waves - shown + row, blocks = Math.min(places, v.blocks - wave * places);
            shape(svg, 'text', { x: 0, y: 16 + 22 * row }, `wave ${wave + 1}`);
            shape(svg, 'rect', { x: 80, y: 3 + 22 * row, width: 480 * blocks / places, height: 18, fill: 'var(--accent)' });
            shape(svg, 'rect', { x: 80, y: 3 + 22 * row, width: 480, height: 18, fill: 'none', stroke: 'var(--ink)' });
            shape(svg, 'text', { x: 566, y: 16 + 22 * row }, String(blocks));
        }
        return svg;
    },
};
