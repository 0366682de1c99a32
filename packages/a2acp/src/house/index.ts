// The separate entry `@parley/a2acp/house`: a hub's command line passes it to the hub, which imports none of it (ADR 0023).

export { type HouseHub, HousePeers, type HousePeersOptions } from './house-peers.ts';
