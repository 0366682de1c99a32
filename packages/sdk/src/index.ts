// Everything that an app or an agent needs to talk to a hub. Withheld: how requests are built and how transports are parsed.

export { createClient } from './client.ts';
export type { CallName, CallOptions, Client, ClientOptions } from './client.ts';
export { systemClock } from './clock.ts';
export type { ClientClock } from './clock.ts';
export { ConnectionError } from './errors.ts';
export type { ConnectionFailure } from './errors.ts';
export type { Stream, StreamOptions, StreamState } from './stream.ts';
export type { Connect, Transport, TransportHandlers, TransportRequest } from './transport.ts';
export type { Upload, UploadOptions } from './upload.ts';
export { ParleyError } from '@parley/protocol';
