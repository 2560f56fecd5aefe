/* alone.js - figure.html?lesson=03&figure=stride: one figure alone, for an iframe in slides. */
'use strict';

(async () => {
    const asked = new URLSearchParams(location.search), main = document.getElementById('article');
    const name = `${asked.get('lesson')}-${asked.get('figure')}`;
    if (asked.get('theme') === 'dark' || asked.get('theme') === 'light') {
        setTheme(asked.get('theme'));
    }
    try {
        if (!/^\d\d-[a-z_]+$/.test(name)) {
            throw new Error('figure.html?lesson=03&figure=stride: the address names a lesson and a figure');
        }
        await needScript(`figure-${name}.js`);
        const section = element('section', { class: 'figure', 'data-figure': name });
        section.innerHTML = course.fragments[name].replace(/<(\/?)h3/g, '<$1h1'); /* the page's only heading */
        section.append(element('div', { class: 'live' }));
        main.append(section);
        await startFigure(section);
    } catch (error) {
        main.append(element('p', { class: 'fault', role: 'alert' }, String(error.message)));
    }
})();
