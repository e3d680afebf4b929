import querystring from 'querystring-es3';

export default { ...querystring, escape: encodeURIComponent, unescape: decodeURIComponent };
