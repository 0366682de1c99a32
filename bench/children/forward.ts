// The least a relay can do: verify one signature of each frame and pass the frame on. Nothing is read, kept or answered.

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { frameToSign, signatureBytes } from '../../packages/protocol/src/relay/index.ts';
import { cpuNow } from '../usage.ts';
import { serve } from './serve.ts';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, clientTracking: false });
const readers = new Map<string, WebSocket>();
server.on('connection', (socket, request) => {
  const { searchParams } = new URL(request.url!, 'http://bare');
  const pair = searchParams.get('pair')!;
  const x = searchParams.get('key');
  if (x === null) return void readers.set(pair, socket);
  const key: KeyObject = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  socket.on('message', (bytes: Buffer) => {
    const end = bytes.length - signatureBytes;
    if (verify(null, frameToSign(bytes.subarray(0, end)), key, bytes.subarray(end))) readers.get(pair)!.send(bytes);
  });
});
await new Promise((resolve) => server.once('listening', resolve));
serve({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }, { cpu: cpuNow }, async () => {
  server.close();
});
