/* lock.js - lesson 04: one lane at a time. */
course.figures['04-lock'] = {
    question: 'How often do the lanes of the warp part?',
    asked: 1,
    controls: [{ name: 'lanes', label: 'lanes that want the lock', min: 0, max: 32, value: 4 }],
    request: v => `kernel ${v.kernel(/watch_lock/)}\ngrid 1\nblock 32\nbuffer wants 32 u32 zero\nput wants 0 ${lanes.map(lane => (lane < v.lanes ? 1 : 0)).join(',')}
        buffer out 32 u32 zero\nbuffer log 2 u32 zero\nargument pointer wants\nargument pointer out\nargument pointer log\nread out 0 1\nwatch`,
    rows: (v, launch, answer) => [
        ['what the lock guards: lanes that added 1', v.lanes, answer.values[0][0]],
        /* The if parts those that want from the others; each lane that gets the lock leaves the others, but for the last. */
        ['branches at which lanes part', (v.lanes > 0 && v.lanes < 32 ? 1 : 0) + Math.max(0, v.lanes - 1), launch.counters.divergent_branches],
        ['loads: one by the warp, and one in the lock for each lane', 1 + v.lanes, launch.counters.global_load_requests],
        ['atomic requests: how long lanes spin is a matter of time', null, launch.counters.global_atom_requests],
    ],
};
