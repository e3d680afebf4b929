'use strict';
// The two sides of an agent.

/** @param {'a' | 'b'} side @returns {'assistant' | 'user'} as whom a side writes */
const roleOf = (side) => (side === 'a' ? 'assistant' : 'user');

/** @param {'a' | 'b'} side @returns {'a' | 'b'} */
const otherSide = (side) => (side === 'a' ? 'b' : 'a');

/** Who answers a message of that author. @param {string} role @returns {'a' | 'b'} */
const answererOf = (role) => (role === 'assistant' ? 'b' : 'a');

/**
 * @param {any} agent
 * @param {'a' | 'b'} side
 * @returns {any} its definition; side A's when a human is on the other
 */
const sideOf = (agent, side) => (side === 'b' ? agent.sideB : undefined) ?? agent.sideA;

module.exports = { answererOf, otherSide, roleOf, sideOf };
