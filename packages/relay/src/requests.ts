// Requests of a logged-in client besides frames: directory entries, blocks and reports.

import {
  type ClientMessage,
  DirectoryStatement,
  fromBase64Url,
  type RelayMessage,
  ReportStatement,
  statementToSign,
  versionsPerEpoch,
} from '@parley/protocol/relay';
import { canonicalJson } from '@parley/protocol/relay';
import type { z } from 'zod';
import type { Rates } from './rates.ts';
import { Refusal } from './refusal.ts';
import type { Relay } from './relay.ts';
import { type PublicKey, verifies } from './signatures.ts';

export interface LoggedIn {
  address: string;
  key: PublicKey;
}

export type ClientRequest = Extract<ClientMessage, { ref: string }>;
type RequestOf<T extends ClientRequest['type']> = Extract<ClientRequest, { type: T }>;

export async function answerRequest(relay: Relay, caller: LoggedIn, request: ClientRequest): Promise<RelayMessage> {
  if (request.type === 'lookup') return lookup(relay, caller, request);
  mustHaveRate(relay.rates.requests, caller, 'Too many requests a minute.');
  if (request.type === 'publish') return publish(relay, caller, request);
  if (request.type === 'report') await report(relay, caller, request);
  else await relay.setBlock(caller.address, request.address, request.blocked);
  return { type: 'done', ref: request.ref };
}

function mustHaveRate(rates: Rates, { address }: LoggedIn, message: string): void {
  const wait = rates.take(address);
  if (wait > 0) throw new Refusal('rate_limited', message, { retry_after_ms: wait });
}

async function publish(relay: Relay, caller: LoggedIn, request: RequestOf<'publish'>): Promise<RelayMessage> {
  const statement = signedStatement('directory', DirectoryStatement, caller, request);
  if (statement.address !== caller.address) throw new Refusal('wrong_sender', `The statement is about ${statement.address}.`);
  const known = await relay.store.account(caller.address);
  if (statement.key !== known?.key || statement.epoch.counter !== known.epoch.counter || statement.epoch.device !== known.epoch.device)
    throw new Refusal('wrong_sender', 'The statement names another key or epoch than this connection.', known && { epoch: known.epoch });
  if (statement.version >= (statement.epoch.counter + 1) * versionsPerEpoch)
    throw new Refusal('bad_message', `Version ${statement.version} is too high for epoch ${statement.epoch.counter}.`);
  const { statement: text, signature, packages } = request;
  const result = await relay.store.publish(caller.address, statement.version, { statement: text, signature }, packages);
  if (result === 'old_statement')
    throw new Refusal('old_statement', `The relay knows a newer statement, or another one of version ${statement.version}.`);
  return { type: 'done', ref: request.ref, packages: await relay.store.packagesLeft(caller.address) };
}

async function lookup(relay: Relay, caller: LoggedIn, { ref, address, package: take }: RequestOf<'lookup'>): Promise<RelayMessage> {
  mustHaveRate(relay.rates.lookups, caller, 'Too many lookups a minute.');
  if (relay.serves(address)) return { type: 'entry', ref, ...(await lookupFor(relay, address, take)) };
  if (!relay.federation) throw relay.isAlone(address);
  return { type: 'entry', ref, ...(await relay.federation.lookup(address, take)) };
}

/** The entry of one of this relay's users, for a client or another relay. Throws a `Refusal`. */
export async function lookupFor(relay: Relay, address: string, take: boolean) {
  // Many callers together empty nobody's list: beyond the rate they get the package of last resort, which does not run out.
  const mayTake = take && relay.rates.lookups.take(`of ${address}`) === 0;
  const entry = await relay.store.lookup(address, mayTake);
  if (!entry && (await relay.store.account(address)))
    throw new Refusal('not_published', `The device of ${address} has not published its keys yet.`);
  if (!entry) throw new Refusal('unknown_address', `${address} is not registered here.`);
  return { ...entry, last_resort: take && entry.package === null };
}

async function report(relay: Relay, caller: LoggedIn, request: RequestOf<'report'>): Promise<void> {
  const { from, about, reason } = signedStatement('report', ReportStatement, caller, request);
  if (from !== caller.address) throw new Refusal('wrong_sender', `The report is by ${from}.`);
  if (await relay.store.report(from, about, reason, relay.now())) {
    relay.counts.reports += 1;
    await relay.weighReports();
  }
}

function signedStatement<T extends z.ZodType>(
  purpose: 'directory' | 'report',
  form: T,
  caller: LoggedIn,
  { statement: text, signature }: { statement: string; signature: string },
): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('bad_message', 'The statement is not JSON.');
  }
  const statement = form.safeParse(value);
  if (!statement.success || canonicalJson(value as Parameters<typeof canonicalJson>[0]) !== text)
    throw new Refusal('bad_message', 'The statement is not the canonical text of its form.');
  if (!verifies(caller.key, statementToSign(purpose, text), fromBase64Url(signature)))
    throw new Refusal('bad_signature', 'The signature is not by your key over this statement.');
  return statement.data;
}
