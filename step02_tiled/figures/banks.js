/* banks.js - lesson 02: bank conflicts of a column, by the distance of a tile's rows. */
course.figures['02-banks'] = {
    question: 'How many wavefronts does one read of a column take?',
    controls: [
        { name: 'pitch', label: 'floats from row to row', choices: [['64', '64: no padding'], ['65', '65: one float of padding']] },
        { name: 'tiles', label: 'tiles in a row and a column', min: 1, max: 4, value: 2 },
    ],
    request(v) {
        const n = 64 * v.tiles;
        return `kernel ${v.kernel(new RegExp(`Li${v.pitch}E`))}\ngrid ${v.tiles} ${v.tiles}\nblock 64 4
            buffer in ${n * n} f32 index\nbuffer out ${n * n} f32\nargument pointer out\nargument pointer in
            argument s32 ${n}\nargument s32 ${n}\nread out 1 1\nwatch`;
    },
    rows(v, launch, answer) {
        const n = 64 * v.tiles, requests = n * n / 32, c = launch.counters, banks = new Map();
        lanes.forEach(lane => banks.set(lane * v.pitch % 32, (banks.get(lane * v.pitch % 32) || 0) + 1));
        const passes = Math.max(...banks.values());
        return [
            ['wavefronts of a read', passes, c.shared_load_wavefronts / requests],
            ['bank conflicts in all', (passes - 1) * requests, c.shared_load_conflicts],
            ['wavefronts of storing the tiles by rows', requests, c.shared_store_wavefronts],
            ['out[0][1], which is in[1][0]', n, answer.values[0][0]],
        ];
    },
    /* The words of the first read that was counted: bank by column, lane by row. */
    draw(v, launch) {
        const load = launch.accesses.find(access => access.kind === 'load' && access.space === 'shared');
        return drawBanks(lanesOfText(load.first.addresses).map(address => address / 4), 'Banks of a column');
    },
};
