/* structs.js - lesson 03: sectors by layout and by how much of a struct is wanted. */
course.figures['03-structs'] = {
    question: 'How many sectors does a load request of this kernel touch?',
    controls: [
        { name: 'layout', label: 'kernel', choices: [['aos_one_field', 'array of structs, one field'], ['soa_one_field', 'struct of arrays, one field'],
            ['aos_all_fields', 'array of structs, all fields'], ['aos_all_fields_float4', 'the same, 16 bytes at a time'],
            ['soa_all_fields', 'struct of arrays, all fields']] },
        { name: 'warps', label: 'particles / 32', min: 1, max: 64, value: 32 },
    ],
    request(v) {
        const n = 32 * v.warps;
        return `kernel ${v.kernel(new RegExp(`\\d${v.layout}P`))}\ngrid ${Math.ceil(n / 256)}\nblock 256
            buffer in ${8 * n} f32 index\nbuffer out ${8 * n} f32\nargument pointer out\nargument pointer in\nargument u64 ${n}\nwatch`;
    },
    rows(v, launch) {
        const wide = v.layout.endsWith('float4'), apart = v.layout.startsWith('aos') ? 32 : 4, c = launch.counters;
        const sectors = sectorsOf(lanes.map(lane => lane * apart), wide ? 16 : 4);
        const requests = v.warps * (v.layout.includes('one') ? 1 : wide ? 2 : 8);
        return [
            ['load sectors per request', sectors, ratio(c.global_load_sectors, c.global_load_requests)],
            ['load requests', requests, c.global_load_requests],
            ['load sectors', sectors * requests, c.global_load_sectors],
            ['store sectors', sectors * requests, c.global_store_sectors],
        ];
    },
    draw(v, launch) {
        const load = launch.accesses.find(access => access.kind === 'load');
        return drawRequest(lanesOfText(load.first.addresses), load.bytes, `${load.first.cost} sectors of the first load request`);
    },
};
