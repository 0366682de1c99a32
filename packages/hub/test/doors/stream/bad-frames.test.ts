import { connect } from 'node:net';
import { once } from 'node:events';
import { closeCodes } from '@parley/protocol';
import { Ear, hubFor, makeOnce, onBothEngines } from '@parley/testkit';
import { WebSocket } from 'ws';
import { expect, test } from 'vitest';
import { raw, whileTalking } from '../../kit/bystander.ts';

const con = 'con_00000000000000000000000000';

/** What is sent over the socket, and the code it is closed with. */
const frames: [name: string, frame: string | Uint8Array, code: number][] = [
  ['10 MB', `{"type":"ping","x":"${'x'.repeat(10_000_000)}"}`, 1009],
  ['10 MB of bytes', Buffer.alloc(10_000_000), 1009],
  ['not JSON', 'ping', closeCodes.badCommand],
  ['nothing', '', closeCodes.badCommand],
  ['null', 'null', closeCodes.badCommand],
  ['an array', '[{"type":"ping"}]', closeCodes.badCommand],
  ['100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000), 1009],
  ['300,000 objects deep', '{"type":'.repeat(100_000), 1009],
  ['2,000 deep', '['.repeat(2000) + ']'.repeat(2000), closeCodes.badCommand],
  ['an unknown command', '{"type":"post","body":"hi"}', closeCodes.badCommand],
  ['an unknown field', '{"type":"ping","now":true}', closeCodes.badCommand],
  ['a missing field', '{"type":"typing"}', closeCodes.badCommand],
  ['a wrong type', '{"type":"typing","conversationId":1}', closeCodes.badCommand],
  ['a bad id', '{"type":"typing","conversationId":"general"}', closeCodes.badCommand],
  ['NUL', '{"type":"typing","conversationId":"\\u0000"}', closeCodes.badCommand],
  ['__proto__', '{"type":"ping","__proto__":{"a":1}}', closeCodes.badCommand],
  ['bytes', Buffer.from('{"type":"ping"}'), closeCodes.badCommand],
];

onBothEngines('frames that are no commands', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob'));

  test('[SYS-4] each closes the socket it came on with a code that says why, and no other', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const [name, frame, code] of frames) {
        const ear = new Ear(bob);
        await ear.ready();
        ear.socket.send(frame);
        expect(await ear.closed(), name).toBe(code);
      }
    });
  });

  test('[SYS-4] text that is not UTF-8 closes with 1007, also when it comes in pieces', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const pieces of [[[0xc3, 0x28]], [[0x22, 0xe2, 0x82], [0x22]], [[0xed, 0xa0, 0x80]]]) {
        const ear = new Ear(bob);
        await ear.ready();
        pieces.forEach((bytes, i) => ear.socket.send(Buffer.from(bytes), { binary: false, fin: i === pieces.length - 1 }));
        expect(await ear.closed()).toBe(1007);
      }
    });
  });

  test('[SYS-4] frames that break the protocol of sockets close with 1002', async () => {
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const bytes of [
        [0x81, 0x02, 0x68, 0x69],
        [0xf1, 0x80, 0, 0, 0, 0],
        [0x83, 0x80, 0, 0, 0, 0],
        [0x89, 0xfe, 0xff, 0xff, 0, 0, 0, 0],
      ]) {
        const ear = new Ear(bob);
        await ear.ready();
        // Past the library, which would not send this: unmasked, reserved bits, an unknown kind, a ping that is too long.
        (ear.socket as unknown as { _socket: { write: (bytes: Buffer) => void } })._socket.write(Buffer.from(bytes));
        expect([1002, 1006]).toContain(await ear.closed());
      }
    });
  });

  test('[SYS-4] typing where one is not, or may not be, is told to nobody and closes nothing', async () => {
    const { id: secret } = await ann.call('createChannel', { body: { name: `secret-${engine}`, visibility: 'private' } });
    const listening = new Ear(ann);
    await listening.ready();
    await whileTalking(kit, ann, kit.owner, async () => {
      const ear = new Ear(bob);
      await ear.ready();
      for (const conversationId of [con, secret]) ear.socket.send(JSON.stringify({ type: 'typing', conversationId }));
      ear.socket.send(JSON.stringify({ type: 'typing', conversationId: await kit.general() }));
      await listening.until((heard) => heard.some((event) => event.type === 'typing'));
      expect(ear.closeCode).toBeUndefined();
      ear.close();
    });
    expect(listening.heard.filter((event) => event.type === 'typing').map((event) => event.conversationId)).toEqual([await kit.general()]);
    listening.close();
  });

  test('[SYS-4] an upgrade that is wrong is answered, not left hanging', async () => {
    const status = (path: string, headers: Record<string, string> = {}): Promise<number> => {
      const socket = new WebSocket(new URL(path, kit.url.replace('http', 'ws')), {
        headers: { authorization: `Bearer ${bob.token}`, ...headers },
      });
      return new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
        socket.on('open', () => resolve(101));
        socket.on('error', () => resolve(0));
      });
    };
    await whileTalking(kit, ann, kit.owner, async () => {
      expect(await status('/api/v1/socket?cursor=x')).toBe(400);
      expect(await status('/api/v1/socket?cursor=a:1&cursor=x')).not.toBe(0);
      expect(await status('/api/v1/sockets')).toBe(404);
      expect(await status('/')).toBe(404);
      expect(await status('/api/v1/socket', { authorization: 'Bearer nonsense' })).toBe(401);
      expect(await status('/api/v1/socket', { authorization: 'Basic Zm9v' })).toBe(401);
      // Without the handshake it is only a request.
      const { status: plain } = await raw(kit.url, {
        path: '/api/v1/socket',
        headers: { authorization: `Bearer ${bob.token}`, host: new URL(kit.url).host },
      });
      expect(plain).toBe(404);
    });
  });

  test('[SYS-4] bytes that are no HTTP at all are refused, and the hub goes on', async () => {
    const { hostname, port } = new URL(kit.url);
    await whileTalking(kit, ann, kit.owner, async () => {
      for (const bytes of [
        '\u0000\u0001\u0002\r\n\r\n',
        'GET /\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
        'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        '\u0016\u0003\u0001',
      ]) {
        const wire = connect(Number(port), hostname);
        let answer = '';
        wire.on('data', (chunk) => (answer += chunk.toString('latin1')));
        wire.on('error', () => {});
        wire.end(bytes);
        await once(wire, 'close');
        expect(answer, JSON.stringify(bytes)).toMatch(/^(HTTP\/1\.1 4\d\d|$)/);
      }
    });
  });
});
