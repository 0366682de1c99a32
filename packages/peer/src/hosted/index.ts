// The separate entry `@parley/peer/hosted`: a hub's command line passes it to the hub, which imports none of it (ADR 0023).

export { HostedPeers, type HostedPeersOptions } from './hosted-peers.ts';
