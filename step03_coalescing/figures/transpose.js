/* transpose.js - lesson 03: sectors and bank conflicts of three transposes. */
course.figures['03-transpose'] = {
    question: 'How many bank conflicts does reading the tile cost in all?',
    asked: 2,
    controls: [
        { name: 'pitch', label: 'kernel', choices: [['64', 'tile, rows of 64 floats'], ['65', 'tile, rows of 65 floats'], ['0', 'no tile']] },
        { name: 'tiles', label: 'rows and columns / 64', min: 1, max: 4, value: 2 },
    ],
    request(v) {
        const n = 64 * v.tiles, kernel = v.pitch === '0' ? /naive/ : new RegExp(`Li${v.pitch}E`);
        return `kernel ${v.kernel(kernel)}\ngrid ${v.tiles} ${v.tiles}\nblock 64 4
            buffer in ${n * n} f32 index\nbuffer out ${n * n} f32\nargument pointer out\nargument pointer in
            argument s32 ${n}\nargument s32 ${n}\nwatch`;
    },
    rows(v, launch) {
        const n = 64 * v.tiles, c = launch.counters, pitch = Number(v.pitch), requests = n * n / 32;
        const banks = new Map();
        lanes.forEach(lane => banks.set(lane * pitch % 32, (banks.get(lane * pitch % 32) || 0) + 1));
        const passes = pitch === 0 ? 1 : Math.max(...banks.values());
        return [
            ['load sectors per request', 4, ratio(c.global_load_sectors, c.global_load_requests)],
            ['store sectors per request', pitch === 0 ? 32 : 4, ratio(c.global_store_sectors, c.global_store_requests)],
            ['bank conflicts of reading the tile', (passes - 1) * requests, c.shared_load_conflicts],
            ['wavefronts of reading the tile', pitch === 0 ? 0 : passes * requests, c.shared_load_wavefronts],
        ];
    },
    /* The first store that was counted: its sectors, and the banks from which a tile's column came. */
    draw(v, launch) {
        const of = (kind, space) => launch.accesses.find(access => access.kind === kind && access.space === space).first;
        const parts = element('div'), store = of('store', 'global');
        parts.append(element('p', {}, `The first store touches ${store.cost} sectors${store.cost > 16 ? ' (the picture shows 128 places)' : ''}; filled is what the lanes want:`),
            drawRequest(lanesOfText(store.addresses), 4, 'sectors of the first store request'));
        if (v.pitch !== '0') {
            const load = of('load', 'shared');
            parts.append(element('p', {}, 'The banks of the column that it stores, a row for each lane:'),
                drawBanks(lanesOfText(load.addresses).map(address => address / 4), 'Banks of a column'));
        }
        return parts;
    },
};
