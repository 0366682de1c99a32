// The parts that need Node: a peer's folder on disk, its sockets, and commands beside a running peer.

export { listenForCalls, runningPeer } from './control/control-socket.ts';
export { holdsPeer, lockPeerFolder } from './store/sqlite/peer-folder.ts';
export { openNodeSocket } from './link/node-socket.ts';
export { openPeerFolder } from './store/sqlite/peer-folder.ts';
