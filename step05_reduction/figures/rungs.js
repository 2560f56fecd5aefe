/* rungs.js - lesson 05: what adding while loading and shuffles save, by block size and n. */
course.figures['05-rungs'] = {
    question: 'How many barriers do the warps of the launch come to, in all?',
    asked: 2,
    controls: [
        { name: 'rung', label: 'kernel', choices: [['warp_shuffle', 'shuffles'], ['first_add', 'add while loading'], ['sequential', 'sequential addressing']] },
        { name: 'power', label: 'threads of a block, power of two', min: 5, max: 10, value: 8 },
        { name: 'n', label: 'n', min: 32, max: 8192, step: 32, value: 4096 },
    ],
    blocks: v => Math.ceil(v.n / 2 ** v.power / (v.rung === 'sequential' ? 1 : 2)),
    request(v) {
        return `kernel ${v.kernel(new RegExp(`reduce_${v.rung}I`))}\ngrid ${this.blocks(v)}\nblock ${2 ** v.power}
            buffer in ${v.n} f32 ones\nbuffer out ${this.blocks(v)} f32\nargument pointer in\nargument u32 ${v.n}\nargument pointer out
            read out 0 ${this.blocks(v)}\nwatch`;
    },
    rows(v, launch, answer) {
        const block = 2 ** v.power, blocks = this.blocks(v), warps = block / 32, c = launch.counters, shuffles = v.rung === 'warp_shuffle';
        let rounds = 0; /* warps that work, summed over the rounds of the tree */
        for (let s = block / 2; s > 0; s = Math.floor(s / 2)) {
            rounds += Math.ceil(s / 32);
        }
        const carried = block > 32 ? 1 : 0; /* between warps, of which there must be two */
        return [
            ['the sum', v.n, answer.values[0].reduce((sum, value) => sum + value, 0)],
            ['blocks', blocks, launch.grid[0]],
            ['barriers that warps come to', blocks * warps * (shuffles ? carried : v.power + 1), c.barriers],
            ['wavefronts of shared loads', blocks * (shuffles ? carried : 2 * rounds + 1), c.shared_load_wavefronts],
            ['wavefronts of shared stores', blocks * (shuffles ? carried * warps : warps + rounds), c.shared_store_wavefronts],
            ['load requests', Math.ceil(v.n / 32), c.global_load_requests],
            ['load sectors', v.n / 8, c.global_load_sectors],
        ];
    },
};
