export { TextDecoder, TextEncoder } from '@exodus/bytes/encoding-lite.js';
