/* tree.js - lesson 05: divided warps, conflicts and barriers of three trees, by block size. */
course.figures['05-tree'] = {
    question: 'How many bank conflicts do the loads of the trees cost?',
    asked: 1,
    controls: [
        { name: 'tree', label: 'tree', choices: [['strided_index', 'strided index'], ['interleaved', 'interleaved'], ['sequential', 'sequential addressing']] },
        { name: 'power', label: 'threads of a block, power of two', min: 5, max: 10, value: 8 },
        { name: 'blocks', label: 'blocks', min: 1, max: 16, value: 4 },
    ],
    request(v) {
        const block = 2 ** v.power, n = block * v.blocks;
        return `kernel ${v.kernel(new RegExp(`reduce_${v.tree}I`))}\ngrid ${v.blocks}\nblock ${block}
            buffer in ${n} f32 ones\nbuffer out ${v.blocks} f32\nargument pointer in\nargument u32 ${n}\nargument pointer out
            read out 0 ${v.blocks}\nwatch`;
    },
    /* The rounds of a block: which word each working thread adds to, and which it adds. */
    rounds(v) {
        const block = 2 ** v.power, list = [];
        for (let round = 0; round < v.power; round++) {
            const s = v.tree === 'sequential' ? block >> (round + 1) : 1 << round, work = new Map();
            for (let t = 0; t < block; t++) {
                const at = v.tree === 'strided_index' ? 2 * s * t : t;
                if (v.tree === 'interleaved' ? t % (2 * s) === 0 : v.tree === 'sequential' ? t < s : at < block) {
                    work.set(t, [at, at + s]);
                }
            }
            list.push(work);
        }
        return list;
    },
    rows(v, launch, answer) {
        const block = 2 ** v.power, c = launch.counters;
        let conflicts = 0, wavefronts = 0, divided = 0;
        for (const work of this.rounds(v)) {
            for (let first = 0; first < block; first += 32) {
                const here = lanes.map(lane => work.get(first + lane)).filter(Boolean);
                divided += here.length > 0 && here.length < 32;
                for (const side of [0, 1].filter(() => here.length > 0)) {
                    const banks = new Map();
                    here.forEach(pair => banks.set(pair[side] % 32, (banks.get(pair[side] % 32) || 0) + 1));
                    wavefronts += Math.max(...banks.values());
                    conflicts += Math.max(...banks.values()) - 1;
                }
            }
        }
        return [
            ['the sum', v.blocks * block, answer.values[0].reduce((sum, value) => sum + value, 0)],
            ['bank conflicts of loads', conflicts * v.blocks, c.shared_load_conflicts],
            ['wavefronts of loads, and one for each block\'s result', (wavefronts + 1) * v.blocks, c.shared_load_wavefronts],
            ['warps divided in the rounds, and by thread 0', (divided + 1) * v.blocks, c.divergent_branches],
            ['barriers: one a round and one before, for each warp', (v.power + 1) * v.blocks * block / 32, c.barriers],
        ];
    },
    draw(v) {
        const rounds = this.rounds(v), shown = Math.min(64, 2 ** v.power), svg = drawing(shown * 10 + 60, rounds.length * 14 + 4, 'Who works in each round');
        rounds.forEach((work, round) => {
            shape(svg, 'text', { x: 0, y: 13 + round * 14 }, `round ${round + 1}`);
            for (let t = 0; t < shown; t++) {
                shape(svg, 'rect', { x: 56 + t * 10, y: 3 + round * 14, width: 9, height: 11, stroke: 'var(--line)',
                    fill: work.has(t) ? 'var(--accent)' : 'none' });
            }
        });
        return svg;
    },
};
