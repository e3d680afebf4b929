import url from 'url/';
import { toUnicode } from './tr46.mjs';
import { URL, URLSearchParams } from 'part:url';

const domainToASCII = (domain) => {
  try {
    return new URL(`ws://${domain}`).hostname;
  } catch {
    return '';
  }
};

function fileURLToPath(given) {
  const { protocol, pathname } = new URL(String(given));
  if (protocol !== 'file:') throw new TypeError('The URL must be of scheme file');
  return decodeURIComponent(pathname);
}

function pathToFileURL(path) {
  const from = new URL('file:///');
  from.pathname = path.replace(/%/g, '%25').replace(/\\/g, '%5C').replace(/\n/g, '%0A');
  return from;
}

const urlToHttpOptions = (from) => ({
  protocol: from.protocol,
  hostname: from.hostname,
  port: from.port === '' ? undefined : Number(from.port),
  path: `${from.pathname}${from.search}`,
  href: from.href,
});

export default {
  ...url,
  URL,
  URLSearchParams,
  domainToASCII,
  domainToUnicode: (domain) => toUnicode(domainToASCII(domain)).domain,
  fileURLToPath,
  pathToFileURL,
  urlToHttpOptions,
};
