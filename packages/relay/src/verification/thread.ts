// Verifies the signatures of frames beside the relay's own thread.

import { parentPort } from 'node:worker_threads';
import { verdictsOn } from './batch.ts';
import { sodiumVerifier } from './sodium.ts';

const port = parentPort!;
const verifies = sodiumVerifier();
port.on('message', (batch: Uint8Array) => port.postMessage(verdictsOn(batch, verifies)));
port.postMessage('ready');
