// The parts that need Node: a peer's folder on disk, and its socket.

export { openNodeSocket } from './link/node-socket.ts';
export { openPeerFolder } from './store/sqlite/peer-folder.ts';
