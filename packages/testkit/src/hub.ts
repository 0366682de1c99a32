// A whole hub in this process, on either engine, and people to talk to it with.

import { readConfig, startHub, type Hub } from '@parley/hub';
import { routes, type Route, type RouteInput, type RouteName, type RouteOutput } from '@parley/protocol';
import { freshGround, type Ground } from './store/engines.ts';

export interface Answer<N extends RouteName> {
  status: number;
  headers: Headers;
  body: RouteOutput<N> & { error?: { code: string; message: string; reason?: string; problems?: { field: string; message: string }[] } };
}

/** Someone with a token. `call` expects success; `ask` returns whatever came. */
export class Person {
  readonly url: string;
  readonly token: string;
  readonly id: string;
  readonly handle: string;

  constructor(url: string, token: string, id: string, handle: string) {
    this.url = url;
    this.token = token;
    this.id = id;
    this.handle = handle;
  }

  async ask<N extends RouteName>(name: N, input: RouteInput<N>, headers: Record<string, string> = {}): Promise<Answer<N>> {
    const route: Route = routes[name];
    const { params, query, body } = input as {
      params?: Record<string, string>;
      query?: Record<string, string | number | undefined>;
      body?: unknown;
    };
    const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params?.[key] ?? ''));
    const url = new URL(`/api/v1${path}`, this.url);
    for (const [key, value] of Object.entries(query ?? {})) if (value !== undefined) url.searchParams.set(key, String(value));
    const response = await fetch(url, {
      method: route.method,
      headers: { authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Answer<N>['body'];
    // The document promises the shape of every answer; here is where that promise is kept honest.
    if (response.ok) route.response.parse(parsed);
    return { status: response.status, headers: response.headers, body: parsed };
  }

  async call<N extends RouteName>(name: N, input: RouteInput<N>, headers: Record<string, string> = {}): Promise<RouteOutput<N>> {
    const answer = await this.ask(name, input, headers);
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async post(conversationId: string, body: string, headers: Record<string, string> = {}): Promise<RouteOutput<'postMessage'>> {
    return this.call('postMessage', { params: { conversationId }, body: { body } }, headers);
  }
}

/** Opens a one-time link. `holder`: who is signed in where it is opened. The cookie's secret serves as a token. */
export async function openLink(url: string, secret: string, joining: object = {}, holder?: Person): Promise<Person> {
  const response = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(holder ? { authorization: `Bearer ${holder.token}` } : {}) },
    body: JSON.stringify({ secret, ...joining }),
  });
  if (!response.ok) throw new Error(`openSession: ${response.status} ${await response.text()}`);
  const { me } = (await response.json()) as { me: { id: string; handle: string } };
  const cookie = /=(ps_[\w-]+)/.exec(response.headers.get('set-cookie') ?? '')![1]!;
  return new Person(url, cookie, me.id, me.handle);
}

/** Gives a person a higher access role: they open the link that `by` got. What they held before ends with it. */
export async function promote(by: Person, person: Person, role: 'owner' | 'admin' | 'member'): Promise<Person> {
  const { secret } = await by.call('createSignInLink', { body: { memberId: person.id, role } });
  return openLink(by.url, secret, {}, person);
}

export interface TestHub {
  hub: Hub;
  ground: Ground;
  url: string;
  operator: Person;
  owner: Person;
  /** Adds a person and gives them a token. */
  person(handle: string, role?: 'owner' | 'admin' | 'member' | 'guest'): Promise<Person>;
  /** Adds an agent of `owner` and gives it a token. */
  agent(handle: string, owner?: Person): Promise<Person>;
  /** The channel everyone starts in. */
  general(): Promise<string>;
  /** Stops it and starts it again, with other parts if any are given; `between` they do what they like with its ground. */
  restart(next?: Overrides, between?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

type Overrides = Parameters<typeof startHub>[1];

/** Agents begin at once: a test of the composing window sets PARLEY_COMPOSE_MS. */
export const atOnce = { PARLEY_COMPOSE_MS: '0' };

const roomy = { PARLEY_WRITES_PER_MINUTE: '1000000', PARLEY_READS_PER_MINUTE: '1000000', PARLEY_STRANGERS_PER_MINUTE: '1000000' };

/** The settings of a hub on this ground. */
export const testSettings = ({ dataDir, databaseUrl }: Pick<Ground, 'dataDir' | 'databaseUrl'>) => ({
  PARLEY_PORT: '0',
  PARLEY_DATA: dataDir,
  PARLEY_DATABASE_URL: databaseUrl,
  PARLEY_LOG: 'error',
  ...atOnce,
  ...roomy,
});

export async function startTestHub(
  engine: Ground['engine'],
  overrides: Overrides = {},
  env: Record<string, string> = {},
): Promise<TestHub> {
  const ground = await freshGround(engine, { tables: true });
  const start = () => {
    const config = readConfig({ ...testSettings(ground), ...env });
    const limits = overrides.limits && { ...overrides.limits, window: config.work.window };
    // The power does not go under these tests, as in the shared PostgreSQL; where it does, a test says so.
    return startHub(config, { sync: false, ...overrides, ...(limits ? { limits } : {}) });
  };
  const kit = { hub: await start() } as TestHub;
  let isUp = true;
  const operator = () => new Person(kit.hub.url, kit.hub.dataDir.operatorKey, '', 'operator');
  const withToken = async (id: string, handle: string, kind: 'person' | 'agent'): Promise<Person> => {
    const { secret } = await operator().call('createToken', { body: { kind, memberId: id, label: 'test' } });
    return new Person(kit.hub.url, secret, id, handle);
  };
  Object.assign(kit, {
    ground,
    url: kit.hub.url,
    operator: operator(),
    person: async (handle: string, role: 'owner' | 'admin' | 'member' | 'guest' = 'member') => {
      const member = await operator().call('addMember', { body: { kind: 'human', handle, displayName: handle, role } });
      return withToken(member.id, handle, 'person');
    },
    agent: async (handle: string, owner = kit.owner) => {
      const member = await operator().call('addMember', { body: { kind: 'agent', handle, displayName: handle, ownerId: owner.id } });
      return withToken(member.id, handle, 'agent');
    },
    general: async () => {
      const { conversations } = await kit.owner.call('listConversations', { query: {} });
      return conversations.find((c) => c.name === 'general')!.id;
    },
    restart: async (next: Overrides = {}, between?: () => Promise<void>) => {
      const { port } = kit.hub;
      if (isUp) await kit.hub.stop();
      isUp = false;
      await between?.();
      Object.assign(overrides, next);
      env['PARLEY_PORT'] = String(port);
      kit.hub = await start();
      isUp = true;
    },
    stop: async () => {
      if (isUp) await kit.hub.stop();
      await ground.clear();
    },
  } satisfies Partial<TestHub>);
  kit.owner = await kit.person('matt', 'owner');
  return kit;
}
