/* access.js - what keeps a page usable without a mouse, a good eye or an eye at all, computed from the page as it is
 * drawn. Returns a list of sentences, one for each breach; an empty list: none was found.
 *
 * Contrast: each visible text against the colours below it, by the formula of the Web Content Accessibility
 * Guidelines (2.2, 1.4.3): 4.5 to 1, or 3 to 1 from 24 pixels on, or 18.66 where bold. Controls have names;
 * what scrolls sideways can be reached by keyboard; there is a language, one first heading, a main part, no
 * heading that skips a level, no id given twice and no positive tabindex. */
function accessBreaches() {
  const breaches = [];
  const say = (what, e) => breaches.push(`${what}: ${e.outerHTML.replace(/\s+/g, ' ').slice(0, 90)}`);
  const shown = (e) => e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && e.getClientRects().length > 0;

  // "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)"
  const colour = (text) => { const n = text.match(/[\d.]+/g).map(Number); return {rgb: n.slice(0, 3), alpha: n.length > 3 ? n[3] : 1}; };
  const over = (top, below) => below.map((b, i) => top.alpha * top.rgb[i] + (1 - top.alpha) * b);
  function ground(e) {
    if (e === null) return [255, 255, 255];
    const own = colour(getComputedStyle(e).backgroundColor);
    return own.alpha === 1 ? own.rgb : over(own, ground(e.parentElement));
  }
  const luminance = (rgb) => rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  function contrast(e) {
    const below = ground(e), text = over(colour(getComputedStyle(e).color), below);
    const [dark, light] = [luminance(below), luminance(text)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (seen.has(e) || walker.currentNode.data.trim() === '' || e.closest('svg, script, style, noscript, option, :disabled') || !shown(e)) continue;
    seen.add(e);
    texts++;
    const style = getComputedStyle(e), pixels = parseFloat(style.fontSize);
    const large = pixels >= 24 || (pixels >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(e);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, e);
  }
  if (texts < 10) breaches.push(`only ${texts} texts are visible`);

  const named = (e) => (e.getAttribute('aria-label') || '').trim() !== '' || e.hasAttribute('aria-labelledby') || (e.labels && [...e.labels].some((l) => l.textContent.trim() !== '')) ||
    (!e.matches('input, select, textarea') && (e.textContent.trim() !== '' || [...e.querySelectorAll('img')].some((i) => i.alt)));
  for (const e of document.querySelectorAll('button, input, select, textarea, a[href], summary, iframe, [tabindex="0"][role="img"]')) {
    if (shown(e) && !named(e) && !e.title) say('no name', e);
  }
  for (const e of document.querySelectorAll('img')) if (!e.hasAttribute('alt')) say('a picture without words', e);
  for (const e of document.querySelectorAll('[role="img"]')) if (!e.getAttribute('aria-label')) say('a picture without words', e);
  for (const e of document.querySelectorAll('th')) if (e.textContent.trim() === '' && shown(e)) say('an empty heading of a table', e);
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) say('a place in the order of its own', e);
  for (const e of document.querySelectorAll('body *')) {
    const scrolls = /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
    if (scrolls && shown(e) && e.tabIndex < 0 && !e.querySelector('a[href], button, input, select, textarea, [tabindex="0"]')) say('scrolls, but not by keyboard', e);
  }

  if (!document.documentElement.lang) breaches.push('no language');
  if (document.title.trim() === '') breaches.push('no title');
  if (document.querySelectorAll('main').length !== 1) breaches.push('not one main part');
  const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(shown);
  if (headings.filter((h) => h.tagName === 'H1').length !== 1) breaches.push('not one first heading');
  headings.forEach((h, i) => { if (i > 0 && h.tagName[1] - headings[i - 1].tagName[1] > 1) say('skips a level', h); });
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  new Set(ids.filter((id, i) => ids.indexOf(id) !== i)).forEach((id) => breaches.push(`twice the id ${id}`));
  return breaches;
}
