export { NatsUnavailable, readRelayConfig, type RelayConfig, RelayConfigError, withoutLogin } from './config.ts';
export { inviteTo, isRelayRunning, openRelayFolder, RelayFolderInUse } from './data-folder.ts';
export { type MountedRelay, mountRelay } from './serve.ts';
export { openRelayStore, relayNameIn } from './open-relay.ts';
export { Relay, type RelayOptions } from './relay.ts';
export { serveRelay, type ServedRelay } from './serve.ts';
export type { RelayStore } from './store/port.ts';
