export { readRelayConfig, type RelayConfig, RelayConfigError } from './config.ts';
export { inviteTo, isRelayRunning, openRelayFolder, RelayFolderInUse } from './data-folder.ts';
export { type MountedRelay, mountRelay } from './mount.ts';
export { relayNameIn } from './open-relay.ts';
export { Relay, type RelayOptions } from './relay.ts';
export { serveRelay, type ServedRelay } from './serve.ts';
export type { RelayStore } from './store/port.ts';
