/* branch.js - lesson 04: how many branches divide their warp, by condition and block size. */
course.figures['04-branch'] = {
    question: 'How many branches of the launch divide a warp?',
    controls: [
        { name: 'condition', label: 'condition', choices: [['first_four', 'the first four threads of a block'], ['odd_even', 'odd or even threads'],
            ['by_warp', 'odd or even warps'], ['6_7_8', 'a loop of 6, 7 or 8 rounds']] },
        { name: 'threads', label: 'threads of a block / 32', min: 1, max: 32, value: 4 },
        { name: 'blocks', label: 'blocks', min: 1, max: 16, value: 4 },
    ],
    request(v) {
        const threads = 32 * v.threads;
        return `kernel ${v.kernel(new RegExp(`(branch|loop)_${v.condition}P`))}\ngrid ${v.blocks}\nblock ${threads}
            buffer out ${threads * v.blocks} u32\nargument pointer out\nargument u32 4\nwatch`;
    },
    rows(v, launch) {
        const warps = v.threads * v.blocks, c = launch.counters;
        /* A loop of 6, 7 or 8 rounds parts its lanes twice: behind round 6 and behind round 7. */
        const parted = { first_four: v.blocks, odd_even: warps, by_warp: 0, '6_7_8': 2 * warps }[v.condition];
        return [
            ['branches that divide a warp', parted, c.divergent_branches],
            ['warps', warps, c.warps],
            ['store sectors: 4 a warp', 4 * warps, c.global_store_sectors],
        ];
    },
};
