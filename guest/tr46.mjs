// What whatwg-url needs of tr46, with Unicode's tables only where a domain needs them.

// As the URL standard has it, an ASCII domain is itself unless one of its labels is encoded.
const isPlain = (domain) => /^[\0-\x7f]*$/.test(domain) && !/(^|\.)xn--/i.test(domain);

export function toASCII(domain, options) {
  return isPlain(domain) ? domain.toLowerCase() : require('part:idna').toASCII(domain, options);
}

export function toUnicode(domain, options) {
  return require('part:idna').toUnicode(domain, options);
}
