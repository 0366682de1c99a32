// Someone who talks while others send nonsense. At the end: everything they said arrived, in order, and nothing else was
// stored, in any table.

import { request } from 'node:http';
import { type TableName, tableNames } from '@parley/hub';
import { Ear, type Person, type TestHub } from '@parley/testkit';
import { expect } from 'vitest';

async function stored(kit: TestHub): Promise<Record<string, number>> {
  const { store } = kit.hub.kernel;
  const count = async (table: TableName) => (await store.all<{ n: number }>(`select count(*) as n from ${table}`))[0]!.n;
  const entries = await Promise.all(tableNames.map(async (table) => [table, await count(table)] as const));
  return { ...Object.fromEntries(entries), head: (await store.head()).seq };
}

/** Nonsense with a secret in it is somebody who tries: the tenth of a burst makes one entry. */
const bursts = async (kit: TestHub): Promise<number> => (await kit.hub.kernel.store.rows('facts', { type: 'sign_in.refused' })).length;

/** Runs `nonsense` while the talker talks and a listener hears them; fails unless only what they said was stored. */
export async function whileTalking(kit: TestHub, talker: Person, listener: Person, nonsense: () => Promise<void>): Promise<void> {
  const conversationId = await kit.general();
  const ear = new Ear(listener);
  await ear.ready();
  const [before, noted] = [await stored(kit), await bursts(kit)];
  const said: string[] = [];
  const silence = new AbortController();
  const talk = (async () => {
    do said.push((await talker.post(conversationId, `still talking ${said.length}`)).id);
    while (!silence.signal.aborted);
  })();
  try {
    await nonsense();
  } finally {
    silence.abort();
    await talk;
  }
  await ear.fact('message.posted', (fact) => fact.data.message.id === said.at(-1));
  expect(ear.facts().flatMap((fact) => (fact.type === 'message.posted' ? [fact.data.message.id] : []))).toEqual(said);
  expect(ear.closeCode).toBeUndefined();
  ear.close();
  const entries = (await bursts(kit)) - noted;
  expect(entries).toBeLessThanOrEqual(1);
  const facts = said.length + entries;
  const grown = { facts, messages: said.length, head: facts, audit_entries: entries };
  const expected = Object.fromEntries(Object.entries(before).map(([table, n]) => [table, n + (grown[table as keyof typeof grown] ?? 0)]));
  expect(await stored(kit)).toEqual(expected);
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: { error?: { code: string; message: string; problems?: { field: string; message: string }[] } };
}

/** A request as it is given, byte for byte: no URL is tidied, no header is added or left out. */
export function raw(
  url: string,
  options: { method?: string; path: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<RawAnswer> {
  const { method = 'GET', path, headers = {}, body } = options;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({
      // A connection of its own: one that was refused rudely must not be used again.
      agent: false,
      host: hostname,
      port,
      method,
      path,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    });
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: parsed(text) }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function parsed(text: string): RawAnswer['body'] {
  try {
    return JSON.parse(text) as RawAnswer['body'];
  } catch {
    return {};
  }
}
