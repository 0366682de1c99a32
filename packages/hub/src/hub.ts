// The one place that wires: a kernel, the doors on it, and the order in which they open and close.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Cursor, ParleyError } from '@parley/protocol';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { clearHubInfo, type DataDir, lockDataDir, openDataDir, sameSecret, writeHubInfo } from './data-dir.ts';
import { sightOf } from './doors/http/context.ts';
import { docsPage, docsStyle } from './doors/http/docs-page.ts';
import { RateLimits } from './doors/http/limits.ts';
import { openApi } from './doors/http/openapi.ts';
import { originPolicy } from './doors/http/origin.ts';
import { ownerLink } from './doors/http/routes/session.ts';
import { apiPrefix, authenticate, buildServer, type HttpDoor } from './doors/http/server.ts';
import { Live } from './doors/stream/live.ts';
import { sseOutlet } from './doors/stream/outlets.ts';
import { serveSockets } from './doors/stream/socket.ts';
import type { Principal } from './engine/auth.ts';
import { type Kernel, type KernelOptions, startKernel } from './kernel.ts';

export const version = '0.1.0';

export interface Hub {
  url: string;
  port: number;
  kernel: Kernel;
  dataDir: DataDir;
  app: FastifyInstance;
  /** A one-time link for whoever sits at this machine: to become the owner, or to sign in as the owner. */
  ownerLink(): Promise<string>;
  stop(): Promise<void>;
}

export interface HubOverrides extends Pick<KernelOptions, 'clock' | 'random' | 'sync' | 'onGroup'> {
  clock?: Clock;
}

export async function startHub(config: Config, overrides: HubOverrides = {}): Promise<Hub> {
  const logger = pino(
    { level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] },
    pino.destination({ dest: 2, sync: true }),
  );
  const dataDir = await openDataDir(config.dataDir);
  const unlock = lockDataDir(config.dataDir);
  let kernel: Kernel | undefined;
  try {
    // Left by a hub that was killed: the address in it may be somebody else's by now.
    await clearHubInfo(config.dataDir);
    kernel = await startKernel({
      dataDir,
      databaseUrl: config.databaseUrl,
      workspaceName: config.workspaceName,
      onError: (error) => logger.error({ err: error }, 'engine'),
      ...overrides,
    });
    return await openDoors(config, kernel, dataDir, unlock, logger);
  } catch (error) {
    await kernel?.stop();
    unlock();
    throw error;
  }
}

async function openDoors(config: Config, kernel: Kernel, dataDir: DataDir, unlock: () => void, logger: pino.Logger): Promise<Hub> {
  const live = new Live(kernel.store, kernel.tail);
  let url = '';
  const door = httpDoor({ config, kernel, dataDir, live, logger, pageUrl: () => config.publicUrl ?? url });
  const { hub } = door;
  const app = await buildServer(door);
  serveStream(app, door);
  serveDocs(app);
  await servePage(app);
  const memberFrom = async (headers: Parameters<typeof authenticate>[2]): Promise<Principal | undefined> => {
    const caller = await authenticate(door, app, headers);
    if (!caller || caller.actor.type !== 'member' || caller.memberId === null) return undefined;
    return principalOf(caller);
  };
  const sockets = serveSockets(app.server, {
    live,
    origin: door.origin,
    authenticate: (request) => memberFrom(request.headers),
    stranger: (request) => door.limits.stranger(request.socket.remoteAddress ?? ''),
    typing: async (principal, conversationId) => {
      const { conversation, home, membership } = await sightOf(
        hub,
        { by: principal.by, actor: principal.actor, memberId: principal.memberId, tokenId: principal.tokenId },
        conversationId,
      );
      if (membership) live.typing(principal.memberId, conversation.id, home.id);
    },
    onError: (error) => logger.error({ err: error }, 'socket'),
  });
  await app.listen({ port: config.port, host: config.host });
  const { port } = app.server.address() as { port: number };
  // Reached by its own address when it listens on that alone.
  const everywhere = ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::'].includes(config.host);
  url = `http://${everywhere ? 'localhost' : config.host}:${port}`;
  await writeHubInfo(dataDir.path, { url, pid: process.pid });

  const stop = async (): Promise<void> => {
    // New work is refused, what was taken is finished, then the doors close: nothing acked is lost.
    live.closeAll();
    sockets.close();
    await app.close();
    await kernel.stop();
    await clearHubInfo(dataDir.path);
    unlock();
  };
  return { url, port, kernel, dataDir, app, stop, ownerLink: async () => (await ownerLink(hub)).url };
}

export function httpDoor(parts: {
  config: Config;
  kernel: Kernel;
  dataDir: DataDir;
  live: Live;
  logger: pino.Logger;
  pageUrl: () => string;
}): HttpDoor {
  const { config, kernel, dataDir, live, logger, pageUrl } = parts;
  return {
    hub: {
      ...kernel,
      live,
      version,
      pageUrl,
      // Cookies do not know ports: two hubs on one machine must not sign each other out.
      cookieName: `parley_${config.port}`,
      secureCookies: config.publicUrl?.startsWith('https:') ?? false,
    },
    logger,
    origin: originPolicy(config.publicUrl, config.host),
    limits: new RateLimits(config.limits),
    trustProxy: config.trustProxy,
    isOperator: (secret) => sameSecret(secret, dataDir.operatorKey),
  };
}

const principalOf = (caller: { by: unknown; actor: unknown; memberId: string | null; tokenId: string | null }): Principal => {
  const actor = caller.actor as Extract<Principal['actor'], { type: 'member' }>;
  return {
    by: caller.by as Principal['by'],
    actor,
    memberId: caller.memberId!,
    tokenId: caller.tokenId!,
    kind: actor.kind,
    role: actor.role,
    tokenKind: actor.tokenKind,
    expiresAt: null,
  };
};

function serveStream(app: FastifyInstance, door: HttpDoor): void {
  app.get(`${apiPrefix}/stream`, async (request, reply) => {
    const caller = await authenticate(door, app, request.headers);
    if (!caller || caller.memberId === null) {
      await door.limits.stranger(request.ip);
      throw new ParleyError('unauthenticated');
    }
    const given = (request.headers['last-event-id'] as string | undefined) ?? (request.query as { cursor?: string }).cursor;
    if (given !== undefined && !Cursor.safeParse(given).success)
      throw new ParleyError('invalid_request', undefined, { problems: [{ field: 'cursor', message: 'must be epoch:seq' }] });
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    response.write(': welcome\n\n');
    try {
      const close = await door.hub.live.open(principalOf(caller), sseOutlet(response), given);
      if (response.closed) close();
      else response.on('close', close);
    } catch (error) {
      // Too late for a status: a stream that breaks off is tried again, one that stands still would be waited on.
      request.log.error({ err: error }, 'stream');
      response.destroy();
    }
  });
}

function serveDocs(app: FastifyInstance): void {
  const document = openApi(version);
  const page = docsPage(document);
  app.get(`${apiPrefix}/openapi.json`, async () => document);
  app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
  app.get('/docs/style.css', async (_request, reply) => reply.type('text/css').send(docsStyle));
}

/** The page: any path that is no file and no API answers with the app, which finds its own way. */
async function servePage(app: FastifyInstance): Promise<void> {
  const root = fileURLToPath(new URL('../../web/dist', import.meta.url));
  if (!existsSync(root)) return;
  await app.register(fastifyStatic, {
    root,
    wildcard: false,
    cacheControl: false,
    index: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const missing = new ParleyError('not_found', 'There is no such operation.').toWire();
  app.get('/*', (request, reply) =>
    request.url.startsWith('/api/') || request.url.startsWith('/assets/') ? reply.code(404).send(missing) : reply.sendFile('index.html'),
  );
}
