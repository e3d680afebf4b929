import EventEmitter from 'events/';

EventEmitter.EventEmitter = EventEmitter;

export { EventEmitter, EventEmitter as default };
