import util from 'util/';
import { TextDecoder, TextEncoder } from 'part:encoding';

export default Object.assign(util, {
  TextDecoder,
  TextEncoder,
  isDeepStrictEqual: (one, other) => require('part:node-assert').isDeepStrictEqual(one, other),
  stripVTControlCharacters: (text) =>
    // eslint-disable-next-line no-control-regex
    String(text).replace(
      /[\u001b\u009b][[()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[0-9A-ORZcf-nqry=><~]/g,
      '',
    ),
});
