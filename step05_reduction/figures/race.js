/* race.js - lesson 05: a reduction without barriers, by the order of its warps. */
course.figures['05-race'] = {
    mayDiffer: true, /* that is the lesson */
    question: 'What sum does the kernel compute?',
    controls: [
        { name: 'order', label: 'order of warps', min: 0, max: 40, value: 0 },
        { name: 'power', label: 'threads of the block, power of two', min: 5, max: 10, value: 8 },
    ],
    request(v) {
        const block = 2 ** v.power;
        return `kernel ${v.kernel(/no_barrier/)}\nschedule ${v.order}\ngrid 1\nblock ${block}
            buffer in ${block} f32 ones\nbuffer out 1 f32\nargument pointer in\nargument u32 ${block}\nargument pointer out
            read out 0 1\ncheck races`;
    },
    rows: (v, launch, answer) => [
        ['the sum; predicted: with barriers', 2 ** v.power, answer.values[0][0]],
        ['barriers', null, launch.counters.barriers],
    ],
};
