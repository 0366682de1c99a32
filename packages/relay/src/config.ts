// A relay's settings, from the environment.

import { resolve } from 'node:path';
import { RelayName } from '@parley/protocol/relay';
import { z } from 'zod';
import { queueBounds } from './queue-limits.ts';
import { federationLimits, relayLimits } from './limits.ts';

const count = (fallback: number) =>
  z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be at least 1').default(fallback);

const isNatsUrl = (text: string): boolean => ['nats:', 'tls:'].includes(URL.parse(text.trim())?.protocol ?? '');
const NatsServers = z
  .string()
  .refine((text) => text.split(',').every(isNatsUrl), 'must be URLs of NATS servers, such as nats://127.0.0.1:4222, separated by commas');

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const RelayNames = z.string().transform(listed).pipe(z.array(RelayName, 'must be names of relays')).optional();

const Environment = z
  .object({
    PARLEY_RELAY: z.enum(['0', '1'], 'must be 0 or 1').default('1'),
    PARLEY_RELAY_PORT: z.coerce.number('must be a port number').int().min(0).max(65_535, 'must be at most 65535').default(7450),
    PARLEY_RELAY_HOST: z.string().default('127.0.0.1'),
    PARLEY_RELAY_DATA: z.string().min(1, 'must not be empty').default('.parley-relay'),
    PARLEY_RELAY_NATS: NatsServers.optional(),
    PARLEY_RELAY_NATS_PREFIX: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .default('parley-relay'),
    PARLEY_RELAY_NATS_REPLICAS: z.coerce
      .number('must be a number')
      .refine((replicas) => [1, 3, 5].includes(replicas), 'must be 1, 3 or 5')
      .default(1),
    PARLEY_RELAY_NAME: RelayName.optional(),
    PARLEY_RELAY_URL: z.url({ protocol: /^https?$/, error: 'must be the http or https address that people open' }).optional(),
    PARLEY_RELAY_TLS_CERT: z.string().optional(),
    PARLEY_RELAY_TLS_KEY: z.string().optional(),
    PARLEY_RELAY_TRUST_PROXY: z.coerce.number('must be the number of proxies in front').int().min(0).max(10).default(0),
    PARLEY_METRICS_TOKEN: z
      .string()
      .regex(/^\S{16,200}$/, 'must have 16 to 200 characters and no spaces')
      .optional(),
    PARLEY_RELAY_ORIGINS: z.string().default(''),
    PARLEY_RELAY_QUEUE: count(queueBounds.perTag),
    PARLEY_RELAY_FRAMES_PER_MINUTE: count(relayLimits.framesPerMinute),
    PARLEY_RELAY_FRAMES_PER_DAY: count(relayLimits.framesPerDay),
    PARLEY_RELAY_LOOKUPS_PER_MINUTE: count(relayLimits.lookupsPerMinute),
    PARLEY_RELAY_REQUESTS_PER_MINUTE: count(relayLimits.requestsPerMinute),
    PARLEY_RELAY_CONNECTIONS_PER_MINUTE: count(relayLimits.connectionsPerMinute),
    PARLEY_RELAY_FEDERATION: z.enum(['off', 'on'], 'must be on or off').default('off'),
    PARLEY_RELAY_FEDERATION_ALLOW: RelayNames,
    PARLEY_RELAY_FEDERATION_DENY: RelayNames,
    PARLEY_RELAY_FEDERATION_PRIVATE: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
    PARLEY_RELAY_FEDERATION_FRAMES_PER_MINUTE: count(federationLimits.framesPerMinute),
    PARLEY_RELAY_FEDERATION_FRAMES_PER_DAY: count(federationLimits.framesPerDay),
    PARLEY_RELAY_FEDERATION_HOURS: count(federationLimits.waitHours),
    PARLEY_LOG: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('warn'),
  })
  .refine((e) => (e.PARLEY_RELAY_TLS_CERT === undefined) === (e.PARLEY_RELAY_TLS_KEY === undefined), {
    path: ['PARLEY_RELAY_TLS_KEY'],
    message: 'is needed together with PARLEY_RELAY_TLS_CERT',
  });

export type RelayConfig = ReturnType<typeof readRelayConfig>;

export class RelayConfigError extends Error {}

/** Says why the servers of PARLEY_RELAY_NATS cannot be used. */
export class NatsUnavailable extends Error {}

/** Servers as a log or a terminal may show them. */
export const withoutLogin = (servers: string): string => servers.replaceAll(/\/\/[^,]*@/g, '//').replaceAll(/,\s*/g, ', ');

export function readRelayConfig(environment: Readonly<Record<string, string | undefined>>) {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new RelayConfigError(problems.join('\n'));
  }
  const e = parsed.data;
  return {
    /** True if a hub runs a relay on its own port. */
    isMounted: e.PARLEY_RELAY === '1',
    port: e.PARLEY_RELAY_PORT,
    host: e.PARLEY_RELAY_HOST,
    dataDir: resolve(e.PARLEY_RELAY_DATA),
    /** Undefined if the data is in the folder too. */
    nats:
      e.PARLEY_RELAY_NATS === undefined
        ? undefined
        : { servers: e.PARLEY_RELAY_NATS, prefix: e.PARLEY_RELAY_NATS_PREFIX, replicas: e.PARLEY_RELAY_NATS_REPLICAS },
    /** If undefined, the name that people registered under, or the fallback. */
    name: e.PARLEY_RELAY_NAME,
    fallbackName: 'localhost',
    /** The address of the account page. If undefined, it follows from the name. */
    pageUrl: e.PARLEY_RELAY_URL,
    tls: e.PARLEY_RELAY_TLS_CERT === undefined ? undefined : { cert: e.PARLEY_RELAY_TLS_CERT, key: e.PARLEY_RELAY_TLS_KEY! },
    trustProxy: e.PARLEY_RELAY_TRUST_PROXY,
    /** If undefined, nobody gets metrics. */
    metricsToken: e.PARLEY_METRICS_TOKEN,
    origins: listed(e.PARLEY_RELAY_ORIGINS),
    bounds: { ...queueBounds, perTag: e.PARLEY_RELAY_QUEUE },
    limits: {
      framesPerMinute: e.PARLEY_RELAY_FRAMES_PER_MINUTE,
      framesPerDay: e.PARLEY_RELAY_FRAMES_PER_DAY,
      lookupsPerMinute: e.PARLEY_RELAY_LOOKUPS_PER_MINUTE,
      requestsPerMinute: e.PARLEY_RELAY_REQUESTS_PER_MINUTE,
      connectionsPerMinute: e.PARLEY_RELAY_CONNECTIONS_PER_MINUTE,
    },
    /** Undefined if the relay speaks with no other relay. */
    federation:
      e.PARLEY_RELAY_FEDERATION === 'off'
        ? undefined
        : {
            /** If undefined, every relay that is not denied. */
            allowed: e.PARLEY_RELAY_FEDERATION_ALLOW,
            denied: e.PARLEY_RELAY_FEDERATION_DENY ?? [],
            isPrivate: e.PARLEY_RELAY_FEDERATION_PRIVATE === '1',
            framesPerMinute: e.PARLEY_RELAY_FEDERATION_FRAMES_PER_MINUTE,
            framesPerDay: e.PARLEY_RELAY_FEDERATION_FRAMES_PER_DAY,
            waitMs: e.PARLEY_RELAY_FEDERATION_HOURS * 3_600_000,
          },
    logLevel: e.PARLEY_LOG,
  };
}
