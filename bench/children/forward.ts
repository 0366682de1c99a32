// The least a relay can do: verify one signature of each frame and pass the frame on. Nothing is read, kept or answered.

import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { signatureBytes, signedBytesOf } from '../../packages/protocol/src/relay/index.ts';
import { publicKey, verifies } from '../../packages/relay/src/signatures.ts';
import { sodiumVerifier } from '../../packages/relay/src/verification/sodium.ts';
import { cpuNow } from '../machine.ts';
import { serve } from './serve.ts';

/** The one that a busy relay uses. */
function verifier(): typeof verifies {
  try {
    const withSodium = sodiumVerifier();
    return ({ raw }, bytes, signature) => withSodium({ key: raw, bytes, signature });
  } catch {
    return verifies;
  }
}
const isSigned = verifier();

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false });
const readers = new Map<string, WebSocket>();
server.on('connection', (socket, request) => {
  const { searchParams } = new URL(request.url!, 'http://bare');
  const pair = searchParams.get('pair')!;
  const x = searchParams.get('key');
  if (x === null) return void readers.set(pair, socket);
  const key = publicKey(x);
  socket.on('message', (bytes: Buffer) => {
    if (isSigned(key, signedBytesOf(bytes), bytes.subarray(-signatureBytes))) readers.get(pair)!.send(bytes);
  });
});
await new Promise((resolve) => server.once('listening', resolve));
serve({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }, { cpu: cpuNow }, async () => {
  server.close();
});
