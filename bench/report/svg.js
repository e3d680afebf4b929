'use strict';
// What all plots are made of: a card with a title, texts, scales. Colours are classes, so that a viewer's dark scheme can
// change them.

const WIDTH = 760;
const MARGIN = 24;
const HEAD = 76;

/** Colours by class: what is seen in a light scheme, then in a dark one. */
const COLOURS = {
  card: ['#ffffff', '#0d1117'],
  ink: ['#1f2328', '#e6edf3'],
  muted: ['#656d76', '#9198a1'],
  grid: ['#e4e8ec', '#262c34'],
  'fill-isobox': ['#1668dc', '#4493f8'],
  'fill-variant': ['#8db8f2', '#2a5a96'],
  'fill-rival': ['#b6bfc8', '#4b5561'],
  'line-floor': ['#57606a', '#9198a1'],
  'line-0': ['#1668dc', '#4493f8'],
  'line-1': ['#bc4c00', '#f0883e'],
  'line-2': ['#8250df', '#bc8cff'],
  'line-3': ['#1a7f37', '#3fb950'],
  'line-4': ['#bf3989', '#f778ba'],
  'line-5': ['#9a6700', '#d29922'],
};

/** @param {number} scheme */
function colourRules(scheme) {
  return Object.entries(COLOURS)
    .map(([name, colours]) => {
      const isLine = name === 'grid' || name.startsWith('line-');
      const colour = colours[scheme];
      // The end labels and points of lines are filled with the colour of their line.
      return isLine
        ? `.${name}{stroke:${colour}}.${name}-fill{fill:${colour}}`
        : `.${name}{fill:${colour}}`;
    })
    .join('');
}

const STYLE = [
  "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px}",
  '.title{font-size:16px;font-weight:600}.strong{font-weight:600}.small{font-size:12px}',
  '.grid{stroke-width:1}.line{fill:none;stroke-width:2;stroke-linejoin:round}.bold{stroke-width:3}',
  '.dashed{stroke-dasharray:6 5}.end{text-anchor:end}.middle{text-anchor:middle}',
  colourRules(0),
  `@media(prefers-color-scheme:dark){${colourRules(1)}}`,
].join('');

/** @param {string | number} value */
const escape = (value) => String(value).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [content] markup
 */
function element(name, attributes, content = '') {
  const list = Object.entries(attributes).map(
    ([key, value]) =>
      ` ${key}="${escape(typeof value === 'number' ? Number(value.toFixed(1)) : value)}"`,
  );
  return content === ''
    ? `<${name}${list.join('')}/>`
    : `<${name}${list.join('')}>${content}</${name}>`;
}

/**
 * @param {number} x
 * @param {number} y of the baseline
 * @param {string} text
 * @param {string} [classes]
 */
const label = (x, y, text, classes = 'ink') =>
  element('text', { x, y, class: classes }, escape(text));

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} [classes]
 */
const line = (x1, y1, x2, y2, classes = 'grid') =>
  element('line', { x1, y1, x2, y2, class: classes });

/**
 * @param {{ title: string, note: string, height: number, body: string[] }} plot `height` without the head; the body
 * begins at y = HEAD
 * @returns {string} a whole file
 */
function card({ title, note, height, body }) {
  const full = Math.round(HEAD + height + MARGIN);
  return `${element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width: WIDTH,
      height: full,
      viewBox: `0 0 ${WIDTH} ${full}`,
      role: 'img',
      'aria-label': `${title}. ${note}`,
    },
    [
      `<style>${STYLE}</style>`,
      element('rect', { width: WIDTH, height: full, rx: 8, class: 'card' }),
      label(MARGIN, 34, title, 'ink title'),
      label(MARGIN, 54, note, 'muted'),
      ...body,
    ].join('\n'),
  )}\n`;
}

/**
 * @param {number} most
 * @returns {number[]} from 0 in round steps, the last one at least `most`
 */
function roundSteps(most) {
  const raw = most / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** How close to each other marks may be: as many decades as there are, and as many marks in each. */
const MARKS = Object.freeze([
  { decades: 3, factors: [1, 2, 5] },
  { decades: 5, factors: [1, 3] },
  { decades: Infinity, factors: [1] },
]);

/**
 * @param {number} least
 * @param {number} most
 * @returns {number[]} round numbers between, for a logarithmic axis
 */
function logarithmicSteps(least, most) {
  const span = Math.log10(most / least);
  const { factors } = MARKS.find(({ decades }) => span < decades) ?? MARKS[0];
  const first = Math.floor(Math.log10(least));
  const last = Math.floor(Math.log10(most));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i))
    .flatMap((power) => factors.map((factor) => factor * power))
    .filter((mark) => mark >= least && mark <= most);
}

/**
 * @param {string} system
 * @returns {string} the class of its bars: isobox stands out, other ways of using it less so
 */
function toneOf(system) {
  if (system === 'isobox') return 'fill-isobox';
  return system.startsWith('isobox ') ? 'fill-variant' : 'fill-rival';
}

/**
 * @param {number} value
 * @param {number} [figures] that count
 * @returns {string} with thousands set apart
 */
function formatValue(value, figures = 3) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: figures });
}

module.exports = {
  HEAD,
  MARGIN,
  WIDTH,
  card,
  element,
  formatValue,
  label,
  line,
  logarithmicSteps,
  roundSteps,
  toneOf,
};
