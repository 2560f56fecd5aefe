/* stride.js - lesson 03: sectors of a request by stride, offset and size of an element. */
course.figures['03-stride'] = {
    question: 'How many sectors does a load request of this copy touch?',
    controls: [
        { name: 'stride', label: 'stride (elements)', min: 1, max: 40, value: 2 },
        { name: 'offset', label: 'offset (elements)', min: 0, max: 40, value: 0 },
        { name: 'bytes', label: 'bytes of an element', choices: [['4', '4'], ['1', '1'], ['2', '2'], ['8', '8'], ['16', '16']] },
    ],
    request(v) {
        const type = { 1: /Ih/, 2: /It/, 4: /If/, 8: /float2/, 16: /float4/ }[v.bytes];
        const n = 4096, bytes = (n * v.stride + v.offset + 1) * v.bytes;
        return `kernel ${v.kernel(type)}
            grid 4\nblock 256
            buffer in ${bytes} u8\nbuffer out ${bytes} u8
            argument pointer out ${v.offset * v.bytes}\nargument pointer in ${v.offset * v.bytes}
            argument u64 ${v.stride}\nargument u64 ${n}\nwatch`;
    },
    rows(v, launch) {
        const bytes = Number(v.bytes), c = launch.counters;
        const sectors = sectorsOf(lanes.map(lane => (v.offset + lane * v.stride) * bytes), bytes);
        return [
            ['load sectors per request', sectors, ratio(c.global_load_sectors, c.global_load_requests)],
            ['store sectors per request', sectors, ratio(c.global_store_sectors, c.global_store_requests)],
            ['load requests: 4,096 elements, 32 lanes', 4096 / 32, c.global_load_requests],
            ['bytes moved by a load request', 32 * sectors, 32 * ratio(c.global_load_sectors, c.global_load_requests)],
        ];
    },
    draw(v, launch) {
        const load = launch.accesses.find(access => access.kind === 'load');
        return drawRequest(lanesOfText(load.first.addresses), load.bytes, `${load.first.cost} sectors of the first load request`);
    },
};
