/* site.js - what every page does: theme, contents on a phone, search, terms that open where they stand, and
 * figures that are loaded when they come into view. All of it works from the disk: what is needed later comes
 * as scripts beside the page, never by a request for data. */
'use strict';

const course = { figures: {}, ptx: {}, sources: {} };

/* ---- helpers --------------------------------------------------------------------------------- */

/* element('td', { class: 'left' }, 'text', child, ...) */
function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith('on')) {
            made.addEventListener(name.slice(2), value);
        } else if (value !== undefined && value !== false) {
            made.setAttribute(name, value === true ? '' : value);
        }
    }
    made.append(...children);
    return made;
}

const scripts = new Map();
/* The script has run when the promise is kept; each is loaded once. */
function needScript(name) {
    if (!scripts.has(name)) {
        scripts.set(name, new Promise((loaded, failed) => {
            const script = element('script', { src: name });
            script.onload = loaded;
            script.onerror = () => failed(new Error(name + ' is missing beside this page'));
            document.head.append(script);
        }));
    }
    return scripts.get(name);
}

/* ---- theme ------------------------------------------------------------------------------------ */

const root = document.documentElement;
function remembered(name) {
    try {
        return localStorage.getItem(name);
    } catch {
        return null; /* a page from the disk may have no storage */
    }
}
function setTheme(theme) {
    root.dataset.theme = theme;
    const button = document.getElementById('theme');
    if (button) {
        button.textContent = theme === 'dark' ? 'Light' : 'Dark';
    }
}
setTheme(remembered('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
document.getElementById('theme')?.addEventListener('click', () => {
    setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
    try {
        localStorage.setItem('theme', root.dataset.theme);
    } catch {
        /* then for this page alone */
    }
});

const menu = document.getElementById('menu');
menu?.addEventListener('click', () => {
    const open = document.getElementById('contents').classList.toggle('open');
    menu.setAttribute('aria-expanded', open);
});

/* ---- search ----------------------------------------------------------------------------------- */

/* Sections that hold every word: those whose heading has one first, then by how often. */
function findSections(words) {
    const found = [];
    for (const [address, title, text] of course.sections) {
        const head = title.toLowerCase(), body = text.toLowerCase();
        if (words.every(word => head.includes(word) || body.includes(word))) {
            const times = words.reduce((sum, word) => sum + body.split(word).length - 1 + (head.includes(word) ? 50 : 0), 0);
            found.push({ address, title, text, times });
        }
    }
    return found.sort((a, b) => b.times - a.times);
}

function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word));
    const from = Math.max(0, at - 60);
    return element('span', {}, (from > 0 ? '... ' : '') + text.slice(from, at),
        element('mark', {}, text.slice(at, at + word.length)), text.slice(at + word.length, at + 120) + ' ...');
}

async function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const box = document.getElementById('found');
    box.hidden = words.length === 0;
    if (words.length === 0) {
        return;
    }
    await needScript('search.js');
    const found = findSections(words), shown = found.slice(0, 20);
    box.replaceChildren(element('p', { role: 'status' }, found.length === 0 ? `No section holds "${query}".`
        : `${found.length} section${found.length > 1 ? 's' : ''}`),
        element('ul', {}, ...shown.map(hit => element('li', {}, element('a', { href: hit.address }, hit.title), ' ',
            excerpt(hit.text, words[0])))));
    scrollTo(0, 0);
}

const searchForm = document.getElementById('search');
if (searchForm) {
    const input = searchForm.querySelector('input');
    searchForm.addEventListener('submit', event => event.preventDefault());
    input.addEventListener('input', () => search(input.value));
    addEventListener('keydown', event => {
        if (event.key === '/' && !event.target.matches('input, textarea, select')) {
            event.preventDefault();
            input.focus();
        }
    });
}

/* ---- what scrolls sideways ---------------------------------------------------------------------- */

/* Code and tables that are wider than their place can be reached and moved by keyboard; those that fit need no stop
 * on the way. */
const wide = new ResizeObserver(entries => {
    for (const { target } of entries) {
        const scrolls = target.scrollWidth > target.clientWidth + 1;
        for (const [name, value] of Object.entries({ tabindex: '0', role: 'group', 'aria-label': target.tagName === 'PRE' ? 'code' : 'table' })) {
            scrolls ? target.setAttribute(name, value) : target.removeAttribute(name);
        }
    }
});
const watchWide = part => part.querySelectorAll('pre, .scroll').forEach(each => wide.observe(each));
watchWide(document);

/* ---- terms ------------------------------------------------------------------------------------- */

function closeMeaning() {
    const open = document.getElementById('meaning');
    if (open) {
        open.remove();
    }
}

async function openMeaning(link) {
    await needScript('terms.js');
    const term = course.terms[link.hash.slice(1)];
    if (!term) {
        location.href = link.href;
        return;
    }
    closeMeaning();
    const box = element('div', { id: 'meaning', role: 'dialog', 'aria-label': term[0], tabindex: '-1' });
    box.innerHTML = term[1];
    box.prepend(element('strong', {}, term[0]));
    document.body.append(box);
    const at = link.getBoundingClientRect();
    box.style.top = `${at.bottom + scrollY + 4}px`;
    box.style.left = `${Math.max(8, Math.min(at.left + scrollX, document.body.clientWidth - box.offsetWidth - 8))}px`;
    box.focus({ preventScroll: true });
    box.addEventListener('keydown', event => {
        if (event.key === 'Escape') {
            closeMeaning();
            link.focus();
        }
    });
}

document.addEventListener('click', event => {
    const link = event.target.closest('a[href*="common-glossary.html#"]');
    if (link && !event.ctrlKey && !event.metaKey && !link.closest('#meaning, #contents, #found')) {
        event.preventDefault();
        openMeaning(link);
    } else if (!event.target.closest('#meaning')) {
        closeMeaning();
    }
});

/* ---- figures ------------------------------------------------------------------------------------ */

async function startFigure(section) {
    const name = section.dataset.figure;
    try {
        await needScript('engine_wasm.js');
        await needScript('engine.js');
        await needScript('figure.js');
        await needScript(`figure-${name}.js`);
        await openFigure(section, name);
    } catch (error) {
        section.querySelector('.live').replaceChildren(element('p', { class: 'fault', role: 'alert' }, String(error.message)));
    }
}

const sections = document.querySelectorAll('.figure');
const inView = new IntersectionObserver(entries => {
    for (const entry of entries) {
        if (entry.isIntersecting) {
            inView.unobserve(entry.target);
            startFigure(entry.target);
        }
    }
}, { rootMargin: '400px' });
sections.forEach(section => inView.observe(section));
