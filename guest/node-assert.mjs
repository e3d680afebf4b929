import assert from 'assert/';

export const isDeepStrictEqual = (one, other) => {
  try {
    assert.deepStrictEqual(one, other);
    return true;
  } catch {
    return false;
  }
};

export { assert, assert as default };
