/* packed.js - the page of a lesson's launches: unpacks the record that a script beside it holds (gzip, as base64,
 * so that it loads from the disk as well), puts it where the page looks for it, and starts the page. The theme is
 * the one that the site remembers. */
'use strict';

(async () => {
    const remember = theme => {
        try {
            return theme ? localStorage.setItem('theme', theme) : localStorage.getItem('theme');
        } catch {
            return null; /* a page from the disk may have no storage */
        }
    };
    const unpacked = async () => {
        const bytes = Uint8Array.from(atob(packedRecord), letter => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
        return new Response(stream).text();
    };
    try {
        if (typeof DecompressionStream === 'undefined') {
            throw new Error('This browser cannot unpack the record: it has no DecompressionStream. A newer one has.');
        }
        const theme = remember();
        if (theme) {
            document.documentElement.dataset.theme = theme;
        }
        document.getElementById('record').textContent = await unpacked();
        const script = document.createElement('script');
        script.src = 'launches_page.js';
        script.onload = () => document.getElementById('theme').addEventListener('click',
            () => remember(document.documentElement.dataset.theme));
        document.body.append(script);
    } catch (error) {
        const said = document.getElementById('subtitle');
        said.setAttribute('role', 'alert');
        said.textContent = String(error.message);
    }
})();
