// Real proxies in front of a hub, with the set-ups that docs/operate.md gives, over TLS: everything that a person's browser and
// a program need comes through.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { maxAttachmentBytes } from '@parley/protocol';
import { startTestHub, type TestHub, waitFor } from '@parley/testkit';
import { freePort } from '@parley/testkit/free-port';
import { advice, findCaddy, findNginx, isRequired } from '@parley/testkit/programs';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, test } from 'vitest';

const name = 'chat.example.org';
const origin = `https://${name}`;
const repository = fileURLToPath(new URL('../../../../../', import.meta.url));
const [cert, key] = ['cert', 'key'].map((file) => join(repository, `packages/relay/test/fixtures/localhost-${file}.pem`)) as [
  string,
  string,
];

interface Proxied {
  kit: TestHub;
  tls: { port: number; host: string; servername: string; rejectUnauthorized: false };
}

let stop: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of stop.toReversed()) await each();
  stop = [];
});

const documented = async (language: string): Promise<string> => {
  const page = await readFile(join(repository, 'docs/operate.md'), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(page)![1]!;
};

/** Only ports, and where the certificate is, differ from what is documented. */
async function nginxFiles(folder: string, port: number, hubPort: string, change: (set: string) => string): Promise<string[]> {
  const set = change(await documented('nginx'))
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate +\S+/, `ssl_certificate ${cert};`)
    .replace(/ssl_certificate_key +\S+/, `ssl_certificate_key ${key};`)
    .replace('127.0.0.1:7440', `127.0.0.1:${hubPort}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  const main = `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${set}}\n`;
  await writeFile(join(folder, 'nginx.conf'), main);
  return ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'log')];
}

async function caddyFiles(folder: string, port: number, hubPort: string): Promise<string[]> {
  const set = (await documented('caddy'))
    .replace(`${name} {`, `https://${name}:${port} {\n  tls ${cert} ${key}`)
    .replace('127.0.0.1:7440', `127.0.0.1:${hubPort}`);
  await writeFile(join(folder, 'Caddyfile'), `{\n  admin off\n  auto_https off\n  default_bind 127.0.0.1\n}\n${set}`);
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
}

async function behind(proxy: 'nginx' | 'caddy', program: string, change = (set: string): string => set): Promise<Proxied> {
  const kit = await startTestHub('sqlite', {}, { PARLEY_PUBLIC_URL: origin });
  stop.push(() => kit.stop());
  const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'));
  stop.push(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const hubPort = new URL(kit.url).port;
  const options = proxy === 'nginx' ? await nginxFiles(folder, port, hubPort, change) : await caddyFiles(folder, port, hubPort);
  const running: ChildProcess = spawn(program, options, { stdio: 'ignore', env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder } });
  stop.push(async () => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, 'exit');
    // Caddy waits for its connections to end; nginx would leave its workers behind.
    running.kill(proxy === 'caddy' ? 'SIGKILL' : 'SIGTERM');
    await gone;
  });
  const proxied: Proxied = { kit, tls: { port, host: '127.0.0.1', servername: name, rejectUnauthorized: false } };
  await waitFor(() => ask(proxied, '/'));
  return proxied;
}

async function ask(
  { tls }: Proxied,
  path: string,
  options: Omit<RequestOptions, 'headers'> & { headers?: Record<string, string | number> } = {},
  body: string | Buffer = '',
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  // A connection of its own: a proxy ends the one on which it answered before it had read the whole body.
  const sent = request({ ...tls, agent: false, path, ...options, headers: { host: name, ...options.headers } });
  // Where the answer comes first, the rest of the body may find nobody.
  sent.on('error', () => {});
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await text(answer) };
}

/** As a browser would: by the link, with its origin. */
async function signIn(proxied: Proxied): Promise<{ cookie: string; origin: string }> {
  const { secret } = await proxied.kit.operator.call('createSignInLink', { body: { memberId: proxied.kit.owner.id } });
  const headers = { origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const answer = await ask(proxied, '/api/v1/session', { method: 'POST', headers }, JSON.stringify({ secret }));
  expect(answer.status, answer.body).toBe(200);
  return { cookie: answer.headers['set-cookie']![0]!.split(';')[0]!, origin };
}

const heard = async (stream: IncomingMessage, word: string): Promise<void> => {
  let all = '';
  for await (const part of stream) if ((all += String(part)).includes(word)) return;
  throw new Error(`The stream ended without ${word}.`);
};

const upload = (proxied: Proxied, headers: Record<string, string>, file: Buffer) => {
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': file.length } };
  return ask(proxied, '/api/v1/attachments?name=large.bin', options, file);
};

const proxies = { nginx: findNginx(), caddy: findCaddy() };

for (const [proxy, found] of Object.entries(proxies) as ['nginx' | 'caddy', ReturnType<typeof findNginx>][]) {
  if (isRequired(proxy) && !found) throw new Error(`${advice[proxy]} PARLEY_TEST_REQUIRE makes these tests mandatory.`);
  describe.skipIf(!found)(`behind ${proxy}, as docs/operate.md sets it up`, () => {
    test('[SYS-11] a person signs in, uploads the largest file and follows both streams', async () => {
      const proxied = await behind(proxy, found!.path);
      const { kit, tls } = proxied;
      const me = await signIn(proxied);
      const stranger = { ...me, origin: 'https://evil.example' };
      expect((await ask(proxied, '/api/v1/session', { method: 'DELETE', headers: stranger })).status).toBe(403);

      const conversationId = await kit.general();
      const socket = new WebSocket(`wss://127.0.0.1:${tls.port}/api/v1/socket`, { ...tls, headers: { host: name, ...me } });
      const frames: string[] = [];
      socket.on('message', (data: Buffer) => frames.push(data.toString()));
      await once(socket, 'open');
      const followed = request({ ...tls, path: '/api/v1/stream', headers: { host: name, ...me } });
      followed.end();
      const [stream] = (await once(followed, 'response')) as [IncomingMessage];
      await kit.owner.post(conversationId, 'through the proxy');
      await heard(stream, 'through the proxy');
      await waitFor(async () => expect(frames.join()).toContain('through the proxy'));
      socket.terminate();
      followed.destroy();

      const file = randomBytes(maxAttachmentBytes);
      const stored = await upload(proxied, me, file);
      expect(stored.status, stored.body).toBe(200);
    });

    test('[SYS-11] an upload that the hub refuses ends with its words, and not with those of the proxy', async () => {
      const proxied = await behind(proxy, found!.path);
      const me = await signIn(proxied);
      for (let round = 0; round < 5; round++) {
        const unsigned = await upload(proxied, { origin }, Buffer.alloc(20_000_000));
        expect([unsigned.status, unsigned.body]).toEqual([401, expect.stringContaining('"unauthenticated"')]);
        const large = await upload(proxied, me, Buffer.alloc(maxAttachmentBytes + 500_000));
        expect([large.status, large.body]).toEqual([413, expect.stringContaining('"too_large"')]);
      }
    });
  });
}

describe.skipIf(!proxies.nginx)('behind an nginx that passes on nothing', () => {
  test('[SYS-11] a person signs in all the same, and another name is refused with what is missing', async () => {
    const bare = (set: string): string => set.replaceAll(/^ *proxy_set_header .*\n/gm, '');
    await signIn(await behind('nginx', proxies.nginx!.path, bare));
    const named = await behind('nginx', proxies.nginx!.path, (set) =>
      bare(set).replace('proxy_pass', 'proxy_set_header Host hub;\nproxy_pass'),
    );
    expect(await ask(named, '/')).toMatchObject({ status: 403, body: expect.stringMatching(/Host is hub\..*proxy_set_header Host/) });
  });
});
