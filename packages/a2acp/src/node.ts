// The parts that need Node: a peer's folder on disk.

export { openPeerFolder } from './store/sqlite/peer-folder.ts';
