'use strict';

/**
 * Maps from positions in the code that V8 runs to positions in the text the caller wrote. Lines and
 * columns count from 1, columns in UTF-16 units, as in V8's stacks. A map is immutable, can be
 * composed with the map of an earlier step, and survives a trip between threads as plain data
 * (`toJSON`, `positionMapFromJSON`).
 *
 * @typedef {{ line: number, column: number }} Position
 * @typedef {[line: number, column: number, removed: number, inserted: number]} ColumnShift
 *   One edit inside a line, at a position of the text before the edit.
 * @typedef {{ kind: 'identity' }
 *   | { kind: 'shifts', shifts: ColumnShift[] }
 *   | { kind: 'source-map', json: string }
 *   | { kind: 'chain', maps: PositionMapData[] }} PositionMapData
 * @typedef {object} PositionMap
 * @property {(line: number, column: number) => Position} original
 * @property {() => PositionMapData} toJSON
 */

const { TraceMap, originalPositionFor, LEAST_UPPER_BOUND } = require('@jridgewell/trace-mapping');

/** The map of a step that left every character where it was. @type {PositionMap} */
const identityMap = Object.freeze({
  original: (line, column) => ({ line, column }),
  toJSON: () => ({ kind: /** @type {const} */ ('identity') }),
});

/**
 * The map of edits that neither add nor remove line breaks.
 *
 * @param {ColumnShift[]} shifts in the order of their positions, not overlapping
 * @returns {PositionMap}
 */
function shiftMap(shifts) {
  if (shifts.length === 0) return identityMap;
  return Object.freeze({
    original(line, column) {
      let delta = 0;
      for (const [shiftLine, shiftColumn, removed, inserted] of shifts) {
        if (shiftLine !== line) continue;
        const start = shiftColumn + delta;
        if (column < start) break;
        if (column < start + inserted) return { line, column: shiftColumn };
        delta += inserted - removed;
      }
      return { line, column: column - delta };
    },
    toJSON: () => ({ kind: /** @type {const} */ ('shifts'), shifts }),
  });
}

/**
 * The map of a printed text, from its source map. It is decoded when the first position is asked
 * for: most runs never fail.
 *
 * @param {string} json a version 3 source map with one source
 * @returns {PositionMap}
 */
function sourceMap(json) {
  /** @type {TraceMap | undefined} */
  let trace;
  return Object.freeze({
    original(line, column) {
      trace ??= new TraceMap(json);
      return nearestOriginal(trace, line, column);
    },
    toJSON: () => ({ kind: /** @type {const} */ ('source-map'), json }),
  });
}

/**
 * The original of the closest mapped position at or before the asked one, else the first one after
 * it on its line, else the last one of an earlier line: helper code that a transformation added has
 * no mapping of its own.
 *
 * @param {TraceMap} trace
 * @param {number} line
 * @param {number} column
 * @returns {Position}
 */
function nearestOriginal(trace, line, column) {
  const here = { line, column: Math.max(column - 1, 0) };
  let found = originalPositionFor(trace, here);
  if (found.line === null) found = originalPositionFor(trace, { ...here, bias: LEAST_UPPER_BOUND });
  for (let earlier = line - 1; found.line === null && earlier >= 1; earlier--) {
    found = originalPositionFor(trace, { line: earlier, column: Number.MAX_SAFE_INTEGER });
  }
  return found.line === null
    ? { line: 1, column: 1 }
    : { line: found.line, column: found.column + 1 };
}

/**
 * The map of several steps, given in the order in which they were applied to the text.
 *
 * @param {...PositionMap} steps
 * @returns {PositionMap}
 */
function composeMaps(...steps) {
  const maps = steps.filter((step) => step !== identityMap).reverse();
  if (maps.length === 0) return identityMap;
  if (maps.length === 1) return maps[0];
  return Object.freeze({
    original(line, column) {
      return maps.reduce((at, map) => map.original(at.line, at.column), { line, column });
    },
    toJSON: () => ({ kind: /** @type {const} */ ('chain'), maps: maps.map((map) => map.toJSON()) }),
  });
}

/**
 * @param {PositionMapData} data what `toJSON` gave
 * @returns {PositionMap}
 */
function positionMapFromJSON(data) {
  switch (data.kind) {
    case 'identity':
      return identityMap;
    case 'shifts':
      return shiftMap(data.shifts);
    case 'source-map':
      return sourceMap(data.json);
    case 'chain':
      return composeMaps(...data.maps.map(positionMapFromJSON).reverse());
    default:
      throw new TypeError(`Unknown position map: ${/** @type {any} */ (data).kind}`);
  }
}

module.exports = { identityMap, shiftMap, sourceMap, composeMaps, positionMapFromJSON };
