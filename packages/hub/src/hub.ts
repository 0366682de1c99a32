// The one place that wires: a kernel, the doors on it, and the order in which they open and close.

import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { leavingPatterns } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { pino } from 'pino';
import { systemClock, watchPauses } from './clock.ts';
import type { Config } from './config.ts';
import { clearHubInfo, type DataDir, lockDataDir, openDataDir, sameSecret, writeHubInfo } from './data-dir.ts';
import { AgentSockets } from './doors/agent-socket/sockets.ts';
import { sightOf } from './doors/http/route-context.ts';
import { CompressedText } from './doors/http/compressed-text.ts';
import { docsPage, docsStyle, exampleUrl } from './doors/http/docs-page.ts';
import { hasSecret, RefusedSignIns } from './doors/http/refused-sign-ins.ts';
import { RateLimits } from './doors/http/rate-limits.ts';
import { type Metrics, openMetrics, serveOperatorRoutes } from './doors/http/operator-routes.ts';
import { openApi } from './doors/http/openapi.ts';
import { originPolicy } from './doors/http/origin.ts';
import { ownerIsIn, ownerLink } from './doors/http/routes/credentials.ts';
import { apiPrefix, authenticate, buildServer, type HttpDoor } from './doors/http/server.ts';
import { platform } from './engine/command.ts';
import { mountOn, type MountService, namesIn } from './doors/mounted-service.ts';
import { Live } from './doors/stream/live-streams.ts';
import { serveSse } from './doors/stream/sse.ts';
import { serveSockets } from './doors/stream/socket.ts';
import { WebhookAgents } from './webhook-agents/webhook-agents.ts';
import { signOfTyping } from './doors/typing.ts';
import { type Kernel, type KernelOptions, startKernel } from './kernel.ts';
import { logFailures, logFault, openLog } from './log.ts';
import { Drafts } from './turns/drafts.ts';
import { privateServices } from './outbound/guarded-fetch.ts';

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
  /** True after the first owner entered, so that no new start link is needed. */
  ownerIsIn(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Settings that only a caller in the same process can give, beside the configuration. */
export interface HubOverrides extends Partial<Omit<KernelOptions, 'dataDir' | 'databaseUrl' | 'workspaceName' | 'onError'>> {
  mount?: MountService | undefined;
}

export async function startHub(config: Config, { mount, ...overrides }: HubOverrides = {}): Promise<Hub> {
  const logger = openLog(config);
  const dataDir = await openDataDir(config.dataDir);
  const unlock = lockDataDir(config.dataDir);
  let kernel: Kernel | undefined;
  const metrics = config.metricsToken === undefined ? undefined : await openMetrics();
  try {
    // A hub that was killed left the file; another program may have its address.
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
      // A service file may hold the option, and nobody is at its start.
      onLossAccepted: ({ ends, known }) =>
        logger.warn(
          `--accept-loss: the database ends at fact ${ends}, and fact ${known} was there. The hub goes on without the lost facts. Start it without the option, or the next loss is accepted too.`,
        ),
      ...overrides,
      onGroup: (group) => {
        overrides.onGroup?.(group);
        metrics?.onGroup(group);
      },
    });
    if (metrics) kernel.store.onCommit((own = []) => metrics.hear(own));
    return await openDoors({ config, kernel, dataDir, unlock, logger, mount, metrics });
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
  metrics: Metrics | undefined;
}

async function openDoors({ config, kernel, dataDir, unlock, logger, mount, metrics }: Opening): Promise<Hub> {
  const live = new Live(kernel.store, kernel.tail);
  logFailures({ store: kernel.store, log: logger });
  let url = '';
  const webhooks = new WebhookAgents({
    hub: kernel,
    keys: kernel.keys,
    allowPrivate: config.privateWebhooks,
    onError: (error) => logger.error({ err: error }, 'webhook'),
  });
  const door = httpDoor({ config, kernel, dataDir, live, logger, webhooks, pageUrl: () => config.publicUrl ?? url });
  const { hub } = door;
  const app = await buildServer(door);
  serveSse(app, door);
  serveDocs(app, hub.cookieName, () => config.publicUrl ?? url);
  serveOperatorRoutes(app, { store: kernel.store, metrics: metrics && { token: config.metricsToken!, made: metrics } });
  const isHome = await kernel.peers.claim();
  const mounted = mount && isHome ? await mountOn(app, mount, config, logger, namesIn(kernel.store)) : undefined;
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
  const sockets = serveSockets(app.server, {
    live,
    agents,
    mounted,
    origin: door.origin,
    authenticate: (headers) => authenticate(door, headers),
    limit: (memberId) => door.limits.member(memberId, 'read'),
    stranger: (request) => {
      const address = clientAddress(request, config.trustProxy);
      if (hasSecret(request.headers)) door.refused.note(address);
      return door.limits.stranger(address);
    },
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
  // The first message to an agent does not wait for it.
  setImmediate(leavingPatterns);
  const endWatch = watchPauses(systemClock, (ms) =>
    logger.warn(
      `The hub was paused for ${Math.round(ms / 1000)} s: its process was stopped, its machine slept, or something else took all of its time. Agents and clients may have lost their connections; another hub on the database may have taken over.`,
    ),
  );
  webhooks.start();
  // A hub whose peers cannot start is still a hub.
  await kernel.peers
    .start({ port, servers: kernel.tools, models: kernel.peerModels, warn: (text) => logger.warn(text) })
    .catch((error: unknown) => logger.error({ err: error }, 'People’s peers could not start; the hub runs without them'));

  const stop = async (): Promise<void> => {
    endWatch();
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

/** Cookies do not know ports: two hubs on one machine must not sign each other out. Hubs behind one address share their sessions. */
function cookieNameOf({ publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>): string {
  if (publicUrl === undefined) return `parley_${port}`;
  const { host, protocol } = new URL(publicUrl);
  return `${protocol === 'https:' ? '__Host-' : ''}parley_${host.replaceAll(/[^a-z0-9.-]/g, '_')}`;
}

export function httpDoor(parts: {
  config: Config;
  kernel: Kernel;
  dataDir: DataDir;
  live: Live;
  logger: pino.Logger;
  /** Without it, this process delivers to none. */
  webhooks?: Pick<WebhookAgents, 'failureOf'>;
  pageUrl: () => string;
}): HttpDoor {
  const { config, kernel, dataDir, live, logger, webhooks, pageUrl } = parts;
  const isHttps = config.publicUrl?.startsWith('https:') ?? false;
  return {
    hub: {
      ...kernel,
      live,
      version,
      pageUrl,
      cookieName: cookieNameOf(config),
      oldCookieName: `${isHttps ? '__Host-' : ''}parley_${config.port}`,
      privateWebhooks: config.privateWebhooks,
      webhookFailure: (agentId) => webhooks?.failureOf(agentId),
      secureCookies: isHttps,
      sessionIdleMs: config.sessionIdleMs,
    },
    logger,
    origin: originPolicy(config.publicUrl, config.host),
    limits: new RateLimits(config.limits),
    refused: new RefusedSignIns(
      () => kernel.clock.now(),
      (found) => {
        logger.warn(found, 'Sign-ins were refused in a burst; the audit log has an entry');
        kernel.engine
          .submit({ type: 'sign_in.refused', by: platform, ...found })
          .catch((error: unknown) => logger.error({ err: error }, 'refused sign-ins'));
      },
    ),
    trustProxy: config.trustProxy,
    isOperator: (secret) => sameSecret(secret, dataDir.operatorKey),
  };
}

/** Made when somebody first asks for them, and once: most hubs are never asked, and each start would wait for it. */
function docsAt(url: string, cookieName: string): { document: CompressedText; page: CompressedText } {
  const document = openApi(version, { url, cookieName });
  return {
    document: new CompressedText(JSON.stringify(document)),
    page: new CompressedText(docsPage(document).replaceAll(exampleUrl, url)),
  };
}

function serveDocs(app: FastifyInstance, cookieName: string, pageUrl: () => string): void {
  let made: ReturnType<typeof docsAt> | undefined;
  const docs = () => (made ??= docsAt(pageUrl(), cookieName));
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

/** The page: for a browser, any path that is no file and no API answers with the app, which finds its own way. */
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
    // Files have a dot in their last part; everything else is an address inside the page. A program that asks for one would take
    // the page for an answer.
    if (/\.\w+$/.test(path)) return reply.sendFile(path);
    const isBrowser = path === '' || request.headers.accept?.includes('text/html') === true;
    return isBrowser ? reply.sendFile('index.html') : reply.code(404).send(missing);
  });
}
