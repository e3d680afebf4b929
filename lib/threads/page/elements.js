// Elements of the page. Text is set as text: nothing that a model or a tool has written is read as HTML.

/**
 * @param {string} id
 * @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * @param {string} tag may have classes behind it: `div.message.user`
 * @param {Record<string, any>} properties
 * @param {...(Node | string | null | false | undefined)} children
 */
export function make(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.').filter(Boolean);
  const element = Object.assign(document.createElement(name), properties);
  element.classList.add(...classes);
  element.append(
    ...children.filter((child) => child !== null && child !== false && child !== undefined),
  );
  return element;
}

/**
 * Puts the elements into a place, in order, and takes out what is not among them. Those that are there stay as they are.
 *
 * @param {Element} place
 * @param {Element[]} elements
 */
export function arrange(place, elements) {
  const wanted = new Set(elements);
  for (const child of [...place.children]) if (!wanted.has(child)) child.remove();
  elements.forEach((element, index) => {
    if (place.children[index] !== element) {
      place.insertBefore(element, place.children[index] ?? null);
    }
  });
}

/**
 * Elements by key, made again only when what they show is not what it was: what a person clicks or reads stays in place.
 *
 * @returns {{ get: (key: string, shown: unknown, draw: () => Element) => Element, clear: () => void }}
 */
export function drawnOnce() {
  /** @type {Map<string, { signature: string, element: Element }>} */
  const drawn = new Map();
  return {
    get(key, shown, draw) {
      const signature = JSON.stringify(shown);
      const known = drawn.get(key);
      if (known?.signature === signature) return known.element;
      const element = draw();
      drawn.set(key, { signature, element });
      return element;
    },
    clear: () => drawn.clear(),
  };
}

/** What a person has opened stays open when it is drawn again. */
const opened = new Set();

/**
 * @param {string} key of what is shown, the same each time it is drawn
 * @param {string} tag
 * @param {...any} children the first one is the summary
 */
export function foldable(key, tag, ...children) {
  const element = make(tag, { open: opened.has(key) }, ...children);
  element.addEventListener('toggle', () => {
    if (element.open) opened.add(key);
    else opened.delete(key);
  });
  return element;
}

/** @param {string | null | undefined} text JSON, or any other text @returns {string} for reading */
export function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text ?? ''), null, 2);
  } catch {
    return text ?? '';
  }
}

/** @param {[string, string | null | undefined][]} pairs */
export function facts(pairs) {
  const shown = pairs.filter(([, text]) => text !== null && text !== undefined && text !== '');
  return make(
    'dl',
    {},
    ...shown.flatMap(([name, text]) => [
      make('dt', {}, name),
      make('dd', {}, make('pre', {}, text)),
    ]),
  );
}

/**
 * @param {string} text
 * @param {string} [kind] the class that colours it
 */
export function badge(text, kind = text) {
  const element = make('span.badge', {}, text);
  // A status may be any text; only a word can be a class.
  if (/^[\w-]+$/.test(kind)) element.classList.add(kind);
  return element;
}

/** @param {number} micros */
export function clock(micros) {
  const at = new Date(micros / 1000);
  return make(
    'time',
    { dateTime: at.toISOString(), title: at.toLocaleString() },
    at.toLocaleTimeString(),
  );
}

/** @param {number} seconds since the epoch */
export function ago(seconds) {
  const passed = Math.max(0, Math.round(Date.now() / 1000 - seconds));
  const [count, unit] =
    passed < 60
      ? [passed, 's']
      : passed < 3600
        ? [Math.floor(passed / 60), 'min']
        : passed < 86_400
          ? [Math.floor(passed / 3600), 'h']
          : [Math.floor(passed / 86_400), 'd'];
  return `${count} ${unit}`;
}

/** Draws soon, once for all that asks for it until then. @param {() => void} draw */
export function soon(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
