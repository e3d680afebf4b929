import { assert } from 'part:node-assert';

export default assert.strict;
