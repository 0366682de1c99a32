// Notices as they are shown.

import type { Notice } from '@parley/protocol';
import { factData } from '../store/fact-data.ts';
import type { PlacedFact, Reader } from '../store/port.ts';
import { wordOf } from '../store/stored-values.ts';
import { readColumns } from '../store/where.ts';

export async function noticeViews(reader: Reader, facts: readonly PlacedFact[]): Promise<Notice[]> {
  const all = facts.flatMap((fact) => {
    const data = factData(fact, 'notice');
    return data ? { seq: fact.seq, at: fact.at, ...data } : [];
  });
  const near = all.every(({ nearest }) => nearest === undefined)
    ? []
    : await readColumns(reader, 'members', ['id', 'handle'], { id: all.flatMap(({ nearest }) => nearest ?? []) });
  const errors = await errorsOf(
    reader,
    all.flatMap(({ invocation }) => invocation ?? []),
  );
  return all.map((data) => ({
    seq: data.seq,
    at: data.at,
    kind: data.kind,
    conversationId: data.conversation || null,
    messageId: data.message ?? null,
    taskId: data.task ?? null,
    invocationId: data.invocation ?? null,
    agentId: data.agent ?? null,
    memberId: data.member ?? null,
    nearest: near.find(({ id }) => id === data.nearest)?.handle ?? null,
    reason: data.reason === undefined ? null : wordOf(data.reason),
    failure: data.failure ?? null,
    error: errors.get(data.invocation ?? '') ?? null,
    start: data.start ?? null,
    end: data.end ?? null,
  }));
}

/** The errors of invocations, by ID. A notice does not contain them, because notices are never deleted. */
async function errorsOf(reader: Reader, ids: string[]): Promise<Map<string, string>> {
  const rows = await reader.rows('invocations', { id: ids });
  return new Map(rows.flatMap(({ id, error }) => (error === null ? [] : [[id, error]])));
}
