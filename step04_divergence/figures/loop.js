/* loop.js - lesson 04: what a warp pays for lanes that go more rounds than the others. */
course.figures['04-loop'] = {
    question: 'How many rounds does the warp go?',
    controls: [
        { name: 'lanes', label: 'lanes of the first kind', min: 0, max: 32, value: 4 },
        { name: 'first', label: 'their rounds', min: 1, max: 20, value: 12 },
        { name: 'rest', label: 'rounds of the others', min: 1, max: 20, value: 3 },
    ],
    trips: v => lanes.map(lane => (lane < v.lanes ? v.first : v.rest)),
    request(v) {
        return `kernel ${v.kernel(/watch_loop/)}\ngrid 1\nblock 32\nbuffer wants 32 u32 zero\nput wants 0 ${this.trips(v).join(',')}
            buffer out 32 u32\nbuffer log 2 u32 zero\nargument pointer wants\nargument pointer out\nargument pointer log\nread wants 0 32\nwatch`;
    },
    rows(v, launch, answer) {
        const trips = this.trips(v), most = Math.max(...trips), loop = this.loopOf(launch);
        return [
            ['rounds of the warp', most, loop.reduce((sum, group) => sum + group.count, 0)],
            ['rounds that lanes wanted, summed', trips.reduce((sum, trip) => sum + trip, 0),
                loop.reduce((sum, group) => sum + group.count * group.lanes, 0)],
            ['rounds after which the lanes part', new Set(trips).size - 1, launch.counters.divergent_branches],
        ];
    },
    /* The branch back, by the lanes that came to it. */
    loopOf: launch => launch.branches.reduce((most, branch) => (branch.executed > most.executed ? branch : most)).classes
        .map(group => ({ count: group.count, lanes: lanes.filter(lane => group.lanes >>> lane & 1).length, mask: group.lanes })),
    draw(v, launch) {
        const loop = this.loopOf(launch).sort((a, b) => b.lanes - a.lanes), rounds = loop.reduce((sum, group) => sum + group.count, 0);
        const svg = drawing(32 * 14 + 64, rounds * 13 + 4, `${rounds} rounds of a warp`);
        let round = 0;
        for (const group of loop) {
            for (let i = 0; i < group.count; i++, round++) {
                shape(svg, 'text', { x: 0, y: 12 + round * 13 }, `round ${round + 1}`);
                lanes.forEach(lane => shape(svg, 'rect', { x: 60 + lane * 14, y: 3 + round * 13, width: 12, height: 10, stroke: 'var(--line)',
                    fill: group.mask >>> lane & 1 ? 'var(--accent)' : 'none' }));
            }
        }
        return svg;
    },
};
