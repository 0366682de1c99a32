export { type PeerAccess, servePeer } from './peer-server.ts';
