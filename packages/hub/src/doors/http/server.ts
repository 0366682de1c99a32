// The HTTP door: routes come from the protocol's table, and every request goes through the same four questions: is it from
// here, who is it, may it ask this often, is it of the right form. The rest is a command or a read.

import { Readable } from 'node:stream';
import {
  errorCodes,
  IdempotencyKey,
  invalidRequest,
  maxAttachmentBytes,
  ParleyError,
  plainErrors,
  problemsOf,
  type Route,
  type RouteName,
  routes,
} from '@parley/protocol';
import { parseCookie } from 'cookie';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Actor } from '@parley/core';
import { CorruptRowError, StorageFullError, StoreAwayError } from '../../store/port.ts';
import type { Principal } from '../../engine/auth.ts';
import { invalidField, require } from '../../engine/command.ts';
import { logFailedRequest } from '../../log.ts';
import { type Caller, isAgent, mayRead, mustBeInTask, type RouteHandlers, type Services } from './route-context.ts';
import { sendJson } from './compressed-text.ts';
import { noCompilers, parseJson, readPast } from './request-bodies.ts';
import { isRefusedSignIn, type RefusedSignIns } from './refused-sign-ins.ts';
import { type RateLimits, TooMany } from './rate-limits.ts';
import { Shares, weightOf } from '../../concurrency-shares.ts';
import { operatorPaths } from './operator-routes.ts';
import { checkOrigin, hostOf, originRefusal, type OriginPolicy } from './origin.ts';
import { agentRoutes } from './routes/agents.ts';
import { messageRoutes } from './routes/messages.ts';
import { workspaceRoutes } from './routes/workspace.ts';
import { checkpointRoutes } from './routes/checkpoints.ts';
import { contactRoutes } from './routes/contacts.ts';
import { attachmentRoutes } from './routes/attachments.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { eventRoutes } from './routes/events.ts';
import { invocationRoutes } from './routes/invocations.ts';
import { memberRoutes } from './routes/members.ts';
import { provokeRoutes } from './routes/provoke-objects.ts';
import { credentialRoutes } from './routes/credentials.ts';
import { explainRoutes } from './routes/explain.ts';
import { peerRoutes } from './routes/peers.ts';
import { spaceRoutes } from './routes/spaces.ts';
import { taskRoutes } from './routes/tasks.ts';
import { toolRoutes } from './routes/tools.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller | undefined;
  }
}

export const apiPrefix = '/api/v1';
const maxJsonBytes = 1_000_000;

export interface HttpDoor {
  hub: Services;
  origin: OriginPolicy;
  limits: RateLimits;
  refused: RefusedSignIns;
  /** Lets the command line of this machine in; nobody else knows it. */
  isOperator: (secret: string) => boolean;
  logger: FastifyBaseLogger;
  /** The number of proxies in front of the hub. Only these are believed about the caller's address. */
  trustProxy: number;
}

const operatorCaller: Caller = { by: { operator: true }, actor: { type: 'operator' }, memberId: null, tokenId: null };

export async function buildServer(door: HttpDoor): Promise<FastifyInstance> {
  const headersOfAll = door.hub.secureCookies ? { ...securityHeaders, 'strict-transport-security': 'max-age=31536000' } : securityHeaders;
  const app = Fastify({
    loggerInstance: door.logger,
    bodyLimit: maxJsonBytes,
    trustProxy: (_address: string, hop: number) => hop < door.trustProxy,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would be wasted, because nearly no request logs.
    childLoggerFactory: (logger) => logger,
    routerOptions: { maxParamLength: 200 },
    schemaController: { compilersFactory: noCompilers },
    frameworkErrors: (error, _request, reply) => {
      void (reply as unknown as FastifyReply).code(400).headers(headersOfAll).send(badPath(error.code).toWire());
    },
    // Stopping waits for requests under way; connections that only wait are closed.
    forceCloseConnections: 'idle',
    // A client that sends a body by the drop does not keep a connection for ever.
    requestTimeout: 120_000,
  }) as FastifyInstance;
  app.decorateRequest('caller');
  parseJsonBodies(app);
  checkOrigins(app, door, headersOfAll);
  answerErrors(app, door);
  await registerRoutes(app, door);
  return app;
}

function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      // A DELETE or POST without a body may still name its type.
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('*', (_request, _payload, done) =>
    done(new ParleyError('unsupported_media', 'The body must be application/json.')),
  );
}

function checkOrigins(app: FastifyInstance, door: HttpDoor, headersOfAll: Record<string, string>): void {
  // A callback instead of a promise, because a promise in every request costs a turn of the queue.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll);
    const { headers } = request;
    // Balancers and Prometheus ask by address. These answers say nothing about anybody, or need a token.
    if (operatorPaths.has(request.url)) return done();
    const verdict = checkOrigin(door.origin, {
      method: request.method,
      socket: false,
      host: hostOf(request.raw),
      origin: headers.origin,
      site: headers['sec-fetch-site'],
    });
    done(verdict.ok ? undefined : new ParleyError('origin_refused', originRefusal(verdict.reason, headers), { reason: verdict.reason }));
  });
}

function answerErrors(app: FastifyInstance, door: HttpDoor): void {
  app.setErrorHandler(async (error, request, reply) => {
    const wireError = toWireError(error, request.routeOptions.bodyLimit ?? maxJsonBytes);
    logFailedRequest(request.log, { reqId: request.id, route: request.routeOptions.url }, wireError, error);
    if (isRefusedSignIn(wireError.code, request.routeOptions.url, request.headers)) door.refused.note(request.ip);
    if (wireError.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
    await readPast(request, reply);
    if (error instanceof TooMany) reply.header('retry-after', String(error.retryAfterSeconds));
    // A person passes on what they see, and the operator finds it in the log.
    const answer =
      wireError.code === 'internal' ? new ParleyError('internal', `${errorCodes.internal.text} Request: ${request.id}.`) : wireError;
    return reply.code(answer.status).send(answer.toWire());
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(new ParleyError('not_found', 'There is no such operation.').toWire()));
}

async function registerRoutes(app: FastifyInstance, door: HttpDoor): Promise<void> {
  const { hub } = door;
  const handlers: RouteHandlers = {
    health: async () => ({ status: 'ok', version: hub.version, engine: hub.store.engine, epoch: hub.tail.head.epoch }),
    ...credentialRoutes,
    ...memberRoutes,
    ...conversationRoutes,
    ...messageRoutes,
    ...attachmentRoutes,
    ...taskRoutes,
    ...explainRoutes,
    ...checkpointRoutes,
    ...agentRoutes,
    ...workspaceRoutes,
    ...toolRoutes,
    ...contactRoutes,
    ...eventRoutes,
    ...provokeRoutes,
    ...invocationRoutes,
    ...peerRoutes,
    ...spaceRoutes,
  };
  // Reads stay few for each member: what is long among them, such as lists and exports, is read by one thread.
  const shares = { read: new Shares(), write: Shares.forAll() };
  const registerAll = (scope: FastifyInstance, isHere: (route: Route) => unknown): void => {
    for (const [name, route] of Object.entries(routes) as [RouteName, Route][])
      if (isHere(route)) register(scope, door, shares, name, route, handlers);
  };
  registerAll(app, ({ bytes, unparsed }) => !bytes && !unparsed);
  // Uploads take any type, as bytes: they are streamed to disk and counted there.
  await app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    registerAll(scope, ({ bytes }) => bytes);
  });
  await app.register(async (scope: FastifyInstance) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    registerAll(scope, ({ unparsed }) => unparsed);
  });
}

export async function authenticate(
  door: Pick<HttpDoor, 'hub' | 'isOperator'>,
  headers: FastifyRequest['headers'],
): Promise<Caller | undefined> {
  const bearer = /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '')?.[1];
  const cookies = headers.authorization === undefined ? parseCookie(headers.cookie ?? '') : {};
  const secret = bearer ?? cookies[door.hub.cookieName] ?? cookies[door.hub.oldCookieName];
  if (secret === undefined || secret === '') return undefined;
  // Most were here before: they are known without waiting, and none of them is the operator.
  const known = door.hub.auth.known(secret);
  // A cookie holds a session, and no token of a program.
  const isTaken = ({ isSession }: Principal): boolean => isSession || bearer !== undefined;
  if (known) return isTaken(known) ? inUse(door, known) : undefined;
  if (bearer !== undefined && door.isOperator(bearer)) return operatorCaller;
  const principal = await door.hub.auth.principal(secret);
  return principal && isTaken(principal) ? inUse(door, principal) : undefined;
}

/** Each is asked for once: what is renewed is looked up again, and what cannot be any more is left to its end. */
const renewed = new WeakSet<Principal>();

function inUse({ hub }: Pick<HttpDoor, 'hub'>, principal: Principal): Caller {
  const { expiresAt, isSession, by } = principal;
  const idleMs = hub.sessionIdleMs;
  // A session is extended only after a twenty-fourth of its time, to spare a commit for each request.
  if (idleMs !== null && isSession && expiresAt !== null && expiresAt - hub.clock.now() < (idleMs * 23) / 24 && !renewed.has(principal)) {
    renewed.add(principal);
    // A revoked caller learns that from the request itself.
    hub.engine.submit({ type: 'session.renew', by, idleMs }).catch(() => renewed.delete(principal));
  }
  return principal;
}

const stranger: Caller = {
  by: { memberId: '', tokenId: '' },
  actor: { type: 'member', id: '', kind: 'human', role: 'guest', active: false, tokenKind: 'person' } satisfies Actor,
  memberId: null,
  tokenId: null,
};

function register(
  scope: FastifyInstance,
  door: HttpDoor,
  shares: Record<'read' | 'write', Shares>,
  name: RouteName,
  route: Route,
  handlers: RouteHandlers,
): void {
  const handler = handlers[name] as (context: object) => Promise<unknown>;
  scope.route({
    method: route.method,
    url: apiPrefix + route.path,
    bodyLimit: route.bytes ? maxAttachmentBytes : (route.maxBytes ?? maxJsonBytes),
    // This runs before the body is read, so that a stranger's bytes cost nothing.
    onRequest: async (request, reply) => {
      request.caller = await admit(door, request, route);
      // Files go by at their own pace and are limited by their own count.
      const who = route.bytes || route.raw || !request.caller ? undefined : billedTo(request.caller);
      if (who === undefined) return;
      const turn = route.method === 'GET' ? shares.read.enter(who) : shares.write.enter(who, weightOf(request.headers));
      const leave = typeof turn === 'function' ? turn : await turn;
      if (reply.raw.destroyed) leave();
      else reply.raw.on('close', leave);
    },
    handler: async (request, reply) => {
      const input = parseInput(route, request);
      if (!route.outsideTask && !route.open && request.caller && isAgent(request.caller))
        await mustBeInTask(door.hub, request.caller, route.method);
      if (route.method === 'GET' && request.caller) await mayRead(door.hub, request.caller, name, input);
      const answer = await handler({
        input,
        caller: request.caller ?? stranger,
        key: idempotencyKey(route, request),
        request,
        reply,
        hub: door.hub,
        stranger: () => door.limits.stranger(request.ip),
      });
      // Answers are written as they are: their schemas are for the document and are checked in tests, not per request.
      if (answer instanceof Readable && !route.raw) return reply.header('content-type', 'application/json; charset=utf-8').send(answer);
      return route.raw ? answer : sendJson(request, reply, JSON.stringify(answer));
    },
  });
}

/** Authenticates the caller, checks that they may enter, and applies the rate limits. */
export async function admit(door: HttpDoor, request: FastifyRequest, route: Partial<Route> = {}): Promise<Caller | undefined> {
  const caller = await authenticate(door, request.headers);
  if (!caller) {
    // A sender with a secret of its own is known once the body is read; a monitor's alarms must not be lost for coming in
    // numbers.
    if (route.signed) await door.limits.mayKnock(request.ip);
    else if (route !== routes.health) await door.limits.stranger(request.ip);
    if (!route.open) throw new ParleyError('unauthenticated');
    return undefined;
  }
  require(route.sources ? 'event.emit' : 'workspace.enter', caller.actor);
  const taskId = request.headers['parley-task'];
  const who = billedTo(caller);
  if (who !== undefined) await door.limits.member(who, route.bytes ? 'upload' : request.method === 'GET' ? 'read' : 'write');
  return typeof taskId === 'string' ? { ...caller, taskId } : caller;
}

/** A monitor that goes mad shuts out itself, and not the person who answers for it. The operator is not counted. */
function billedTo({ actor, tokenId, memberId }: Caller): string | undefined {
  return (actor.type === 'member' && actor.tokenKind === 'source' ? tokenId : memberId) ?? undefined;
}

const parts = ['params', 'query', 'body'] as const;

function parseInput(route: Route, request: FastifyRequest): object {
  const input: Record<string, unknown> = {};
  const problems: ReturnType<typeof problemsOf> = [];
  for (const part of parts) {
    const schema = route[part];
    if (!schema || (part === 'body' && route.unparsed)) continue;
    const parsed = schema.safeParse(request[part] ?? (part === 'body' ? undefined : {}), plainErrors);
    if (parsed.success) input[part] = parsed.data;
    else problems.push(...problemsOf(parsed.error));
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return input;
}

/** Found by the router, before there is a route that could say it. */
function badPath(code: string): ParleyError {
  return invalidField('(path)', code === 'FST_ERR_MAX_PARAM_LENGTH' ? 'a part of it is too long' : 'is not a valid path');
}

function idempotencyKey(route: Route, request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  // A promise that would not be kept is refused: the sender would repeat what must not be done twice.
  if (!route.idempotent) throw invalidField('Idempotency-Key', 'is not taken by this operation');
  const parsed = IdempotencyKey.safeParse(header);
  if (!parsed.success)
    throw new ParleyError('invalid_request', undefined, {
      problems: [{ field: 'Idempotency-Key', message: parsed.error.issues[0]!.message }],
    });
  return parsed.data;
}

/** Rewords errors that Fastify itself raises; unknown errors are logged and hidden. */
function toWireError(error: unknown, bodyLimit: number): ParleyError {
  if (error instanceof ParleyError) return error;
  if (error instanceof CorruptRowError) return new ParleyError('corrupt', error.message);
  if (error instanceof StoreAwayError) return new ParleyError('unavailable');
  if (error instanceof StorageFullError) return new ParleyError('storage_full');
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ParleyError('too_large', `A body is at most ${bodyLimit} bytes.`);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ParleyError('unsupported_media');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ParleyError('invalid_request', (error as Error).message);
  return new ParleyError('internal', errorCodes.internal.text);
}

const securityHeaders = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' blob: data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};
