import { atob, btoa } from 'part:base64';
import * as buffer from 'buffer/';

const { Buffer } = buffer;
// As Node has them, where the package has not.
Buffer.prototype[Symbol.for('nodejs.util.inspect.custom')] ??= Buffer.prototype.inspect;

const whole = { ...buffer.default, atob, btoa };
export { Buffer, whole as default };
