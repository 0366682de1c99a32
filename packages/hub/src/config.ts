// Settings come from the environment, each checked by name before anything starts.

import { resolve } from 'node:path';
import { z } from 'zod';
import { idempotencyRetentionMs, memberDay } from '@parley/core';
import { plainErrors, problemsOf, quietRange } from '@parley/protocol';
import { defaultLimits, type Limits } from './doors/http/rate-limits.ts';
import { type WorkLimits, workLimits } from './engine/limits.ts';
import { type PeerModelSettings, readPeerModel } from './peers/hub-models.ts';

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  databaseUrl: string | undefined;
  publicUrl: string | undefined;
  trustProxy: number;
  /** Undefined: nobody gets metrics. */
  metricsToken: string | undefined;
  workspaceName: string;
  /** Webhooks may lead into the hub's own network. */
  privateWebhooks: boolean;
  /** Model and tool servers in the hub's own network that it may call: any, or those named by host or host:port. */
  privateServices: 'any' | readonly string[];
  /** The models that people's peers may ask; null: none. */
  peerModels: PeerModelSettings | null;
  /** A session that nobody used for this long ends; null: only after 90 days. */
  sessionIdleMs: number | null;
  logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  limits: Limits;
  work: WorkLimits;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const wholeNumber = (what: string, least: number) => {
  const problem = least === 0 ? 'must not be negative' : `must be at least ${least}`;
  return z.coerce.number(`must be ${what}`).int('must be a whole number').min(least, problem);
};
const count = (fallback: number) => wholeNumber('a number', 1).default(fallback);

const peerModel = z
  .string()
  .transform((text, context) => {
    const read = readPeerModel(text);
    if (typeof read !== 'string') return read;
    context.addIssue({ code: 'custom', message: read });
    return z.NEVER;
  })
  .optional();

const Environment = z.object({
  PARLEY_PORT: z.coerce.number('must be a port number').int().min(0).max(65_535, 'must be at most 65535').default(7440),
  PARLEY_HOST: z.string().default('127.0.0.1'),
  PARLEY_DATA: z.string().min(1, 'must not be empty').default('.parley'),
  PARLEY_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  PARLEY_PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
  PARLEY_TRUST_PROXY: z.coerce.number('must be the number of proxies in front').int().min(0).max(10).optional(),
  PARLEY_METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,200}$/, 'must have 16 to 200 characters and no spaces')
    .optional(),
  PARLEY_SESSION_IDLE_HOURS: z.coerce.number('must be a number of hours').int('must be a whole number').min(0).max(2160).optional(),
  PARLEY_WORKSPACE: z.string().trim().min(1).max(80).default('Parley'),
  PARLEY_LOG: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('warn'),
  PARLEY_WEBHOOK_PRIVATE: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
  PARLEY_PRIVATE_HOSTS: z
    .string()
    .regex(/^[^\s,/]+(\s*,\s*[^\s,/]+)*$/, 'must be hosts, separated by commas')
    .optional(),
  PARLEY_PEER_MODEL: peerModel,
  PARLEY_PEER_MODEL_SECOND: peerModel,
  PARLEY_WRITES_PER_MINUTE: count(defaultLimits.writesPerMinute),
  PARLEY_READS_PER_MINUTE: count(defaultLimits.readsPerMinute),
  PARLEY_STRANGERS_PER_MINUTE: count(defaultLimits.strangersPerMinute),
  PARLEY_MEMBER_AGENTS: count(workLimits.agentsPerMember),
  PARLEY_UPLOAD_MB: count(workLimits.uploadBytes / 1_000_000),
  PARLEY_TASK_MINUTES: count(workLimits.runMs / minute),
  PARLEY_TASK_HOURS: count(workLimits.outerMs / hour),
  PARLEY_WAIT_HOURS: count(workLimits.waitMs / hour),
  PARLEY_ALL_WITHOUT_CONFIRMATION: count(workLimits.allWithoutConfirmation),
  PARLEY_COMPOSE_MS: wholeNumber('a number of milliseconds', quietRange.least)
    .max(quietRange.most, `must be at most ${quietRange.most}`)
    .default(workLimits.window.quietMs),
  PARLEY_CLAIM_SECONDS: count(workLimits.claimMs / 1000),
  PARLEY_EVENT_DAYS: wholeNumber('a number of days', 0)
    .refine(
      (days) => days === 0 || days * day >= idempotencyRetentionMs,
      `must be 0, which is for ever, or at least ${idempotencyRetentionMs / day}`,
    )
    .default(workLimits.eventsKeptMs / day),
  PARLEY_CHAIN_TURNS: count(workLimits.budgets.chain.turns),
  PARLEY_AGENT_DAY_TURNS: count(workLimits.budgets.agent_day.turns),
  PARLEY_PAIR_CHAIN_TURNS: count(workLimits.budgets.pair_chain.turns),
  PARLEY_PAIR_DAY_TURNS: count(workLimits.budgets.pair_day.turns),
  PARLEY_WORKSPACE_DAY_TURNS: count(workLimits.budgets.workspace_day.turns),
});

export class ConfigError extends Error {}

export function readConfig(env: Record<string, string | undefined>): Config {
  const names = Object.keys(Environment.shape);
  const values = Object.fromEntries(names.filter((name) => env[name] !== undefined && env[name] !== '').map((name) => [name, env[name]]));
  const parsed = Environment.safeParse(values, plainErrors);
  if (!parsed.success)
    throw new ConfigError(
      problemsOf(parsed.error)
        .map(({ field, message }) => `${field} ${message}`)
        .join('\n'),
    );
  const e = parsed.data;
  if (e.PARLEY_PEER_MODEL_SECOND && !e.PARLEY_PEER_MODEL)
    throw new ConfigError('PARLEY_PEER_MODEL_SECOND must not be set without PARLEY_PEER_MODEL');
  const isHttps = e.PARLEY_PUBLIC_URL?.startsWith('https:') ?? false;
  // Everyone who can reach such a hub is on this machine, and can call its other servers without the hub.
  const isLocal = e.PARLEY_PUBLIC_URL === undefined && ['127.0.0.1', '::1', 'localhost'].includes(e.PARLEY_HOST);
  const idleHours = e.PARLEY_SESSION_IDLE_HOURS ?? (isHttps ? 7 * 24 : 0);
  const agentDay = { ...workLimits.budgets.agent_day, turns: e.PARLEY_AGENT_DAY_TURNS };
  const workspaceDay = { ...workLimits.budgets.workspace_day, turns: e.PARLEY_WORKSPACE_DAY_TURNS };
  return {
    port: e.PARLEY_PORT,
    host: e.PARLEY_HOST,
    dataDir: resolve(e.PARLEY_DATA),
    databaseUrl: e.PARLEY_DATABASE_URL,
    publicUrl: e.PARLEY_PUBLIC_URL?.replace(/\/$/, ''),
    // The hub speaks no TLS itself: with an https address there is a proxy in front. Without its word on who asks, all clients
    // would be one address to the limits, and one of them could lock out the others.
    trustProxy: e.PARLEY_TRUST_PROXY ?? (isHttps ? 1 : 0),
    metricsToken: e.PARLEY_METRICS_TOKEN,
    workspaceName: e.PARLEY_WORKSPACE,
    privateWebhooks: e.PARLEY_WEBHOOK_PRIVATE === '1',
    privateServices: isLocal || e.PARLEY_WEBHOOK_PRIVATE === '1' ? 'any' : (e.PARLEY_PRIVATE_HOSTS?.split(/\s*,\s*/) ?? []),
    peerModels: e.PARLEY_PEER_MODEL ? { first: e.PARLEY_PEER_MODEL, second: e.PARLEY_PEER_MODEL_SECOND ?? null } : null,
    sessionIdleMs: idleHours === 0 ? null : idleHours * hour,
    logLevel: e.PARLEY_LOG,
    limits: {
      writesPerMinute: e.PARLEY_WRITES_PER_MINUTE,
      readsPerMinute: e.PARLEY_READS_PER_MINUTE,
      strangersPerMinute: e.PARLEY_STRANGERS_PER_MINUTE,
    },
    work: {
      ...workLimits,
      runMs: e.PARLEY_TASK_MINUTES * minute,
      outerMs: e.PARLEY_TASK_HOURS * hour,
      waitMs: e.PARLEY_WAIT_HOURS * hour,
      allWithoutConfirmation: e.PARLEY_ALL_WITHOUT_CONFIRMATION,
      window: { ...workLimits.window, quietMs: e.PARLEY_COMPOSE_MS },
      claimMs: e.PARLEY_CLAIM_SECONDS * 1000,
      eventsKeptMs: e.PARLEY_EVENT_DAYS * day,
      agentsPerMember: e.PARLEY_MEMBER_AGENTS,
      uploadBytes: e.PARLEY_UPLOAD_MB * 1_000_000,
      budgets: {
        chain: { ...workLimits.budgets.chain, turns: e.PARLEY_CHAIN_TURNS },
        agent_day: agentDay,
        agent_member_day: memberDay(agentDay),
        pair_chain: { ...workLimits.budgets.pair_chain, turns: e.PARLEY_PAIR_CHAIN_TURNS },
        pair_day: { ...workLimits.budgets.pair_day, turns: e.PARLEY_PAIR_DAY_TURNS },
        member_day: memberDay(workspaceDay),
        workspace_day: workspaceDay,
      },
    },
  };
}
