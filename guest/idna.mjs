export { toASCII, toUnicode } from 'tr46';
