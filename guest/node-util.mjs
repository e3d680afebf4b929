import util from 'util/';
import { TextDecoder, TextEncoder } from 'part:encoding';

export default Object.assign(util, {
  TextDecoder,
  TextEncoder,
  isDeepStrictEqual: (one, other) => require('part:node-assert').isDeepStrictEqual(one, other),
});
