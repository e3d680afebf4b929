import path from 'path-browserify';

export default path;
