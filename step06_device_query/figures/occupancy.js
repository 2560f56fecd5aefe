/* occupancy.js - lesson 06: blocks that an SM holds, by registers, shared memory and block size. */
course.figures['06-occupancy'] = {
    question: 'How many blocks of this kernel does an SM hold?',
    controls: [
        { name: 'held', label: 'floats held', choices: [['0', '0'], ['16', '16'], ['32', '32'], ['64', '64'], ['112', '112'], ['208', '208']] },
        { name: 'warps', label: 'warps of a block', min: 1, max: 32, value: 8 },
        { name: 'shared', label: 'shared memory, KiB', min: 0, max: 227, value: 0 },
        { name: 'blocks', label: 'blocks of the grid', min: 1, max: 4000, value: 1500 },
        { name: 'gpu', label: 'GPU', choices: [['h200', 'H200'], ['a100', 'A100'], ['rtx40', 'RTX 40']] },
    ],
    /* What an SM has: warps, blocks, registers, bytes of shared memory; SMs. common/gpu/gpu_limits.c. */
    limits: {
        h200: { warps: 64, blocks: 32, registers: 65536, shared: 233472, sms: 132 },
        a100: { warps: 64, blocks: 32, registers: 65536, shared: 167936, sms: 108 },
        rtx40: { warps: 48, blocks: 24, registers: 65536, shared: 102400, sms: 128 },
    },
    request: v => `gpu ${v.gpu}\nkernel ${v.kernel(new RegExp(`Li${v.held}E`))}\ngrid 1\nblock ${32 * v.warps}\nshared ${1024 * v.shared}
        buffer in 4096 f32 ones\nbuffer out 4096 f32\nargument pointer in\nargument pointer out\nargument u32 1024`,
    rows(v, launch) {
        const has = this.limits[v.gpu], o = launch.occupancy;
        /* A warp takes registers in steps of 256; an SM has four parts, each with a quarter. */
        const ofWarp = Math.ceil(32 * o.registers / 256) * 256, warpsByRegisters = 4 * Math.floor(has.registers / 4 / ofWarp);
        const bytes = Math.ceil(1024 * v.shared / 128) * 128 + 1024;
        const blocks = Math.min(has.blocks, Math.floor(has.warps / v.warps), Math.floor(warpsByRegisters / v.warps), Math.floor(has.shared / bytes));
        const waves = Math.ceil(v.blocks / (has.sms * o.blocks)), last = v.blocks - (waves - 1) * has.sms * o.blocks;
        return [
            ['blocks of an SM', blocks, o.blocks],
            ['warps of an SM', blocks * v.warps, o.warps],
            ['registers of a thread (estimated)', null, o.registers],
            ['waves of the grid', Math.ceil(v.blocks / (has.sms * blocks)), waves],
            ['blocks of the last wave', null, last],
            ['what stops another block', null, o.limiter],
        ];
    },
};
