// The peer SDK, the separate entry `@parley/peer/sdk`: a peer inside a program of one's own. Other modules of this package may change.

export { type OwnPeer, openPeer, type PeerOptions } from './open-peer.ts';
export { type ActionCall, type ActionHandler, type ActionHandlers, ActionRefused } from '../actions/port.ts';
export {
  type OpenPrompt,
  type OwnNegotiation,
  type OwnPeerCalls,
  PeerCallError,
  type PeerCallErrorCode,
  type PeerCalls,
} from '@parley/protocol';
