'use strict';

/**
 * Markdown code fences around guest code, as models write them. Nothing moves: what is not code
 * becomes blanks, so every position in the code is its position in the caller's text.
 */

const { blankRanges } = require('./text-lines.js');

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n\r`]*)$/;
const SCRIPT_LANGUAGES = new Map([
  ...['js', 'javascript', 'jsx', 'mjs', 'cjs', 'node', 'ecmascript', 'es6'].map(
    asLanguage('javascript'),
  ),
  ...['ts', 'typescript', 'tsx', 'mts', 'cts'].map(asLanguage('typescript')),
]);

/** @param {'javascript' | 'typescript'} language */
function asLanguage(language) {
  return (/** @type {string} */ tag) =>
    /** @type {[string, 'javascript' | 'typescript']} */ ([tag, language]);
}

/**
 * Takes the code out of its fences. The first block counts whatever its label, unless a later one
 * is labelled as JavaScript or TypeScript and it is not; further blocks count only when they are
 * labelled so. Text without a fence at the start of a line comes back as it is, and so does code
 * that has one inside a block comment.
 *
 * @param {string} text
 * @returns {{ code: string, language: 'javascript' | 'typescript' | null }} `language` is what the label of the first block says.
 */
function stripFences(text) {
  const blocks = text.includes('```') || text.includes('~~~') ? findBlocks(text) : [];
  const labelled = blocks.filter((block) => block.language !== null);
  const chosen = labelled.length > 0 ? labelled : blocks.slice(0, 1);
  if (chosen.length === 0) return { code: text, language: null };
  const starts = chosen.map((block) => block.start);
  const ends = chosen.map((block) => block.end);
  const outside = [0, ...ends].map((start, index) => ({
    start,
    end: starts[index] ?? text.length,
  }));
  const code = blankRanges(text, outside);
  return { code, language: chosen[0].language };
}

/**
 * @param {string} text
 * @returns {{ start: number, end: number, language: 'javascript' | 'typescript' | null }[]} the
 *   insides of the fences
 */
function findBlocks(text) {
  const blocks = [];
  const comments = new CommentTracker(text);
  /** @type {{ marker: string, start: number, language: any } | null} */
  /** @type {{ marker: string, start: number, language: 'javascript' | 'typescript' | null } | null} */
  let open = null;
  for (const { start, end, line } of eachLine(text)) {
    if (open === null) {
      const match = OPENING.exec(line);
      if (match === null || comments.isOpenAt(start)) continue;
      const label = match[2]
        .trim()
        .split(/[\s{,:]/, 1)[0]
        .toLowerCase();
      open = { marker: match[1], start: end, language: SCRIPT_LANGUAGES.get(label) ?? null };
    } else if (isClosing(line, open.marker)) {
      blocks.push({ start: open.start, end: start, language: open.language });
      comments.skipTo(end);
      open = null;
    }
  }
  if (open !== null) {
    blocks.push({
      start: open.start,
      end: endOfOpenBlock(text, open),
      language: open.language,
    });
  }
  return blocks;
}

/** @param {string} text */
function* eachLine(text) {
  const lines = /([^\r\n]*)(?:\r\n|\n|\r|$)/y;
  while (lines.lastIndex < text.length) {
    const start = lines.lastIndex;
    const match = /** @type {RegExpExecArray} */ (lines.exec(text));
    yield { start, end: start + match[0].length, line: match[1] };
  }
}

/**
 * @param {string} line
 * @param {string} marker the run of characters that opened the block
 */
function isClosing(line, marker) {
  const bare = line.trim();
  return bare.length >= marker.length && bare === marker[0].repeat(bare.length);
}

/**
 * Where the code of a block ends that no line of its own closes: before a closing fence that was
 * put on the last line of the code, else at the end.
 *
 * @param {string} text
 * @param {{ marker: string, start: number }} open
 */
function endOfOpenBlock(text, { marker, start }) {
  const bare = text.slice(start).trimEnd();
  return bare.endsWith(marker) ? start + bare.length - marker.length : text.length;
}

/** Whether a block comment is open at ever later places of a text, reading each part of it once. */
class CommentTracker {
  #text;
  #read = 0;
  #isOpen = false;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  /** @param {number} offset */
  isOpenAt(offset) {
    // A comment opens after a blank or punctuation; that of a path pattern, src/*.js, does not.
    for (const [mark] of this.#text
      .slice(this.#read, offset)
      .matchAll(/(?<![^\s;{}(),])\/\*|\*\//g)) {
      this.#isOpen = mark === '/*';
    }
    this.#read = offset;
    return this.#isOpen;
  }

  /** @param {number} offset */
  skipTo(offset) {
    this.#read = offset;
    this.#isOpen = false;
  }
}

module.exports = { stripFences };
