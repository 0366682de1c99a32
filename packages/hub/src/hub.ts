// The one place that wires: a kernel, the doors on it, and the order in which they open and close.

import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ParleyError } from '@parley/protocol';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { pino } from 'pino';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { clearHubInfo, type DataDir, lockDataDir, openDataDir, sameSecret, writeHubInfo } from './data-dir.ts';
import { AgentSockets } from './doors/agent-socket/sockets.ts';
import { sightOf } from './doors/http/route-context.ts';
import { CompressedText } from './doors/http/compressed-text.ts';
import { docsPage, docsStyle, exampleUrl } from './doors/http/docs-page.ts';
import { RateLimits } from './doors/http/rate-limits.ts';
import { openApi } from './doors/http/openapi.ts';
import { originPolicy } from './doors/http/origin.ts';
import { ownerIsIn, ownerLink } from './doors/http/routes/session.ts';
import { apiPrefix, authenticate, buildServer, type HttpDoor } from './doors/http/server.ts';
import { mountOn, type MountService } from './doors/mounted-service.ts';
import { Live } from './doors/stream/live-streams.ts';
import { serveSse } from './doors/stream/sse.ts';
import { serveSockets } from './doors/stream/socket.ts';
import { WebhookAgents } from './webhook-agents/webhook-agents.ts';
import { signOfTyping } from './doors/typing.ts';
import { type Kernel, type KernelOptions, startKernel } from './kernel.ts';
import { logFault, openLog } from './log.ts';
import { logFailures } from './provoke/failure-log.ts';
import { Drafts } from './turns/drafts.ts';
import { privateServices } from './outbound/fetch.ts';

const stopPatienceMs = 5000;
export const version = '0.1.0';

export interface Hub {
  url: string;
  port: number;
  kernel: Kernel;
  dataDir: DataDir;
  webhooks: WebhookAgents;
  app: FastifyInstance;
  /** A one-time link for the operator: to become the owner, or to sign in as the owner. */
  ownerLink(): Promise<string>;
  /** Whether an owner has come in, and need not be let in again. */
  ownerIsIn(): Promise<boolean>;
  stop(): Promise<void>;
}

export interface HubOverrides extends Pick<
  KernelOptions,
  'clock' | 'random' | 'sync' | 'onGroup' | 'limits' | 'rules' | 'brain' | 'tools' | 'agents' | 'handlers' | 'env' | 'matcher' | 'peers'
> {
  clock?: Clock;
  mount?: MountService | undefined;
}

export async function startHub(config: Config, { mount, ...overrides }: HubOverrides = {}): Promise<Hub> {
  const logger = openLog(config);
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
      limits: config.work,
      privateWebhooks: config.privateWebhooks,
      peerModels: config.peerModels,
      mayCallPrivate: privateServices(config.privateServices),
      onError: (error) => logFault(logger, error),
      ...overrides,
    });
    return await openDoors({ config, kernel, dataDir, unlock, logger, mount });
  } catch (error) {
    await kernel?.stop();
    unlock();
    throw error;
  }
}

interface Opening {
  config: Config;
  kernel: Kernel;
  dataDir: DataDir;
  unlock: () => void;
  logger: pino.Logger;
  mount: MountService | undefined;
}

async function openDoors({ config, kernel, dataDir, unlock, logger, mount }: Opening): Promise<Hub> {
  const live = new Live(kernel.store, kernel.tail);
  logFailures({ store: kernel.store, log: logger });
  let url = '';
  const door = httpDoor({ config, kernel, dataDir, live, logger, pageUrl: () => config.publicUrl ?? url });
  const { hub } = door;
  const app = await buildServer(door);
  serveSse(app, door);
  serveDocs(app, () => config.publicUrl ?? url);
  const mounted = mount && (await mountOn(app, mount, config, logger));
  await servePage(app);
  const drafts = new Drafts({
    store: kernel.store,
    tail: kernel.tail,
    tell: ({ agentId, conversationId, homeId }, taskId, text) => live.draft(homeId, { memberId: agentId, conversationId, taskId, text }),
    onError: (error) => logger.error({ err: error }, 'draft'),
  });
  kernel.drafts.show = (drafting, text) => drafts.show(drafting, text);
  const agents = new AgentSockets({
    hub: kernel,
    limit: (memberId, what) => door.limits.member(memberId, what),
    draft: (drafting, text) => kernel.drafts.show(drafting, text),
    onError: (error) => logger.error({ err: error }, 'agent socket'),
  });
  const webhooks = new WebhookAgents({
    hub: kernel,
    keys: kernel.keys,
    allowPrivate: config.privateWebhooks,
    onError: (error) => logger.error({ err: error }, 'webhook'),
  });
  const sockets = serveSockets(app.server, {
    live,
    agents,
    mounted,
    origin: door.origin,
    authenticate: (headers) => authenticate(door, headers),
    limit: (memberId) => door.limits.member(memberId, 'read'),
    stranger: (request) => door.limits.stranger(clientAddress(request, config.trustProxy)),
    typing: async (principal, conversationId) => {
      await signOfTyping(hub, principal.by, principal.memberId, await sightOf(hub, principal, conversationId));
    },
    onError: (error) => logger.error({ err: error }, 'socket'),
  });
  await app.listen({ port: config.port, host: config.host }).catch(async (error: unknown) => {
    await mounted?.close();
    throw error;
  });
  const { port } = app.server.address() as { port: number };
  url = ownUrl(config.host, port);
  await writeHubInfo(dataDir.path, { url, pid: process.pid });
  webhooks.start();
  // A hub whose peers cannot start is still a hub.
  await kernel.peers
    .start(port, kernel.tools, kernel.peerModels)
    .catch((error: unknown) => logger.error({ err: error }, 'People’s peers could not start; the hub runs without them'));

  const stop = async (): Promise<void> => {
    // Streams end, requests under way are finished (for a while), then the engine: what was taken is answered.
    live.closeAll();
    agents.stop();
    sockets.close();
    await mounted?.close();
    const patience = setTimeout(() => app.server.closeAllConnections(), stopPatienceMs);
    await app.close();
    clearTimeout(patience);
    await webhooks.stop();
    await kernel.stop();
    await clearHubInfo(dataDir.path);
    unlock();
  };
  return {
    url,
    port,
    kernel,
    dataDir,
    webhooks,
    app,
    stop,
    ownerLink: async () => (await ownerLink(hub)).url,
    ownerIsIn: () => ownerIsIn(hub),
  };
}

/** Behind proxies the last address they add is the client; without them, the connected one. */
function clientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  return (proxies > 0 && forwarded.at(-proxies)?.trim()) || (socket.remoteAddress ?? '');
}

/** A hub that listens on one address alone is reached by that one. */
function ownUrl(host: string, port: number): string {
  const everywhere = ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::'].includes(host);
  return `http://${everywhere ? 'localhost' : host}:${port}`;
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
  const isHttps = config.publicUrl?.startsWith('https:') ?? false;
  return {
    hub: {
      ...kernel,
      live,
      version,
      pageUrl,
      // Cookies do not know ports: two hubs on one machine must not sign each other out.
      cookieName: `${isHttps ? '__Host-' : ''}parley_${config.port}`,
      privateWebhooks: config.privateWebhooks,
      secureCookies: isHttps,
      sessionIdleMs: config.sessionIdleMs,
    },
    logger,
    origin: originPolicy(config.publicUrl, config.host),
    limits: new RateLimits(config.limits),
    trustProxy: config.trustProxy,
    isOperator: (secret) => sameSecret(secret, dataDir.operatorKey),
  };
}

/** Made when somebody first asks for them, and once: most hubs are never asked, and each start would wait for it. */
function docsAt(pageUrl: string): { document: CompressedText; page: CompressedText } {
  const document = openApi(version);
  return {
    document: new CompressedText(JSON.stringify(document)),
    page: new CompressedText(docsPage(document).replaceAll(exampleUrl, pageUrl)),
  };
}

function serveDocs(app: FastifyInstance, pageUrl: () => string): void {
  let made: ReturnType<typeof docsAt> | undefined;
  const docs = () => (made ??= docsAt(pageUrl()));
  const style = new CompressedText(docsStyle);
  app.get(`${apiPrefix}/openapi.json`, (request, reply) => docs().document.send(request, reply, 'application/json; charset=utf-8'));
  app.get('/docs', (request, reply) => docs().page.send(request, reply, 'text/html; charset=utf-8'));
  app.get('/docs/style.css', (request, reply) => style.send(request, reply, 'text/css'));
}

const requestPageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

/** The page: any path that is no file and no API answers with the app, which finds its own way. */
async function servePage(app: FastifyInstance): Promise<void> {
  const root = fileURLToPath(new URL('../../web/dist', import.meta.url));
  if (!existsSync(root)) return;
  await app.register(fastifyStatic, {
    root,
    // Looked up as asked for: a page that is built again while the hub runs is served as it is then.
    serve: false,
    cacheControl: false,
    index: false,
    // Compressed when the page was built.
    preCompressed: true,
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  // For people without an agent: the same page for every link, so that looking at one tells and changes nothing.
  app.get('/g/:link', (_request, reply) => reply.headers(requestPageHeaders).sendFile('g.html'));
  const missing = new ParleyError('not_found', 'There is no such operation.').toWire();
  app.get('/*', (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    if (path.startsWith('api/')) return reply.code(404).send(missing);
    // Files have a dot in their last part; everything else is an address inside the page.
    return /\.\w+$/.test(path) ? reply.sendFile(path) : reply.sendFile('index.html');
  });
}
