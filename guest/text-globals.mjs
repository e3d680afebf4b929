// What packages take for granted; each is there for them whatever the guest was given.

export { TextDecoder, TextEncoder } from 'part:encoding';
