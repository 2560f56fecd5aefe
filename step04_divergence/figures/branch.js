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
    /* The branch at which most warps divide; where none does, one that every warp comes to once, and not all take the
     * same way. A row for each set of lanes and their ways. */
    draw(v, launch) {
        const once = b => (b.executed === launch.counters.warps ? b.classes.length : 0);
        const branch = launch.branches.reduce((most, b) => (b.divergent - most.divergent || once(b) - once(most)) > 0 ? b : most);
        const svg = drawing(32 * 14 + 100, branch.classes.length * 16 + 4, 'lanes at a branch');
        branch.classes.forEach((group, row) => {
            shape(svg, 'text', { x: 0, y: 13 + row * 16 }, `${group.count} time${group.count === 1 ? '' : 's'}`);
            lanes.forEach(lane => shape(svg, 'rect', { x: 90 + lane * 14, y: 3 + row * 16, width: 12, height: 12, stroke: 'var(--faint)',
                fill: group.taken >>> lane & 1 ? 'var(--accent)' : group.lanes >>> lane & 1 ? 'var(--line)' : 'none' }));
        });
        const parts = element('div');
        parts.append(element('p', {}, 'The 32 lanes of the warps that came to the branch: full colour goes one way, grey the other; empty lanes are not there.'), svg);
        return parts;
    },
};
