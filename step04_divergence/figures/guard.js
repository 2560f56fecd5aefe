/* guard.js - lesson 04: warps that an image's edge divides, by the block's shape. */
course.figures['04-guard'] = {
    question: 'How many warps does the edge of the image divide?',
    controls: [
        { name: 'width', label: 'width', min: 1, max: 160, value: 100 },
        { name: 'height', label: 'height', min: 1, max: 120, value: 70 },
        { name: 'block', label: 'block', choices: [['16 16', '16 x 16'], ['32 8', '32 x 8'], ['64 4', '64 x 4'], ['256 1', '256 x 1'], ['8 32', '8 x 32'], ['4 64', '4 x 64']] },
    ],
    shape(v) {
        const block = v.block.split(' ').map(Number);
        return { block, grid: [Math.ceil(v.width / block[0]), Math.ceil(v.height / block[1])] };
    },
    request(v) {
        const { block, grid } = this.shape(v), n = v.width * v.height;
        return `kernel ${v.kernel(/image_add/)}\ngrid ${grid.join(' ')}\nblock ${block.join(' ')}
            buffer a ${n} f32 index\nbuffer b ${n} f32 ones\nbuffer out ${n} f32
            argument pointer out\nargument pointer a\nargument pointer b\nargument s32 ${v.width}\nargument s32 ${v.height}\nwatch`;
    },
    kinds(v) {
        const { block, grid } = this.shape(v), found = [];
        eachWarp(grid, block, warp => {
            const inside = warp.filter(([x, y]) => x < v.width && y < v.height);
            found.push({ warp, inside, kind: inside.length === warp.length ? 'full' : inside.length === 0 ? 'outside' : 'divided' });
        });
        return found;
    },
    rows(v, launch) {
        const found = this.kinds(v), c = launch.counters, of = kind => found.filter(warp => warp.kind === kind).length;
        const sectors = found.reduce((sum, { inside }) => sum + 2 * sectorsOf(inside.map(([x, y]) => 4 * (y * v.width + x)), 4), 0);
        return [
            ['warps that the edge divides', of('divided'), c.divergent_branches],
            ['load requests: 2 for each warp that has a pixel', 2 * (found.length - of('outside')), c.global_load_requests],
            ['load sectors', sectors, c.global_load_sectors],
            ['warps', found.length, c.warps],
        ];
    },
    draw(v) {
        const { block, grid } = this.shape(v), size = [grid[0] * block[0], grid[1] * block[1]];
        const scale = Math.min(4, 640 / size[0], 300 / size[1]), svg = drawing(size[0] * scale + 4, size[1] * scale + 4, 'Warps over the image');
        for (const { warp, kind } of this.kinds(v)) {
            const xs = warp.map(([x]) => x), ys = warp.map(([, y]) => y), x = Math.min(...xs), y = Math.min(...ys);
            shape(svg, 'rect', { x: 2 + scale * x, y: 2 + scale * y, width: scale * (Math.max(...xs) - x + 1), height: scale * (Math.max(...ys) - y + 1),
                fill: kind === 'divided' ? 'var(--bad)' : kind === 'full' ? 'var(--panel)' : 'none', stroke: 'var(--faint)', 'stroke-width': 0.5 });
        }
        shape(svg, 'rect', { x: 2, y: 2, width: scale * v.width, height: scale * v.height, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 2 });
        return svg;
    },
};
