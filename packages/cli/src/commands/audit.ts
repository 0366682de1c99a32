// The audit log, for owners, admins and the operator.

import { auditActor, auditKindWords, auditOutcomeWords, auditText } from '@parley/core';
import { type AuditEntry, type AuditKind, auditKinds, type AuditPage } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { wholeNumber } from '../input.ts';
import type { CommandContext } from '../settings.ts';
import { findMember, handlesOf } from './members.ts';
import { seconds } from './tokens.ts';

interface AuditOptions {
  kind?: string;
  member?: string;
  since?: string;
  last: string;
}

const mostAtOnce = 200;

async function latest(access: HubAccess, wanted: number, query: object): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for (let before: number | null = null; ;) {
    const limit = Math.min(mostAtOnce, wanted - found.length);
    const page: AuditPage = await access.call('listAudit', { query: { ...query, limit, ...(before === null ? {} : { before }) } });
    found.push(...page.entries);
    before = page.next;
    if (before === null || found.length >= wanted) return found;
  }
}

function kindOf(typed: string): AuditKind {
  const kind = auditKinds.find((one) => one === typed);
  if (kind === undefined) throw new CliError('usage', `--kind ${typed} is not one of ${auditKinds.join(', ')}.`);
  return kind;
}

/** The latest first, each with its arguments in the line below. */
export async function audit({ settings, output }: CommandContext, { kind, member, since, last }: AuditOptions): Promise<void> {
  const wanted = wholeNumber('--last', last, 1);
  const after = since === undefined ? undefined : Date.now() - seconds(since, '--since') * 1000;
  const { entries, names } = await withAccess(settings, async (access) => {
    const query = {
      ...(kind === undefined ? {} : { kind: kindOf(kind) }),
      ...(member === undefined ? {} : { memberId: (await findMember(access, member)).id }),
      ...(after === undefined ? {} : { since: after }),
    };
    const found = await latest(access, wanted, query);
    return { entries: found, names: await handlesOf(access) };
  });
  output.result(
    { entries },
    entries.length === 0 ? 'There are no such entries in the audit log.' : entries.map((one) => words(one, names)).join('\n'),
  );
}

function words(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const name = (id: string): string => auditActor(id, (member) => names.get(member) ?? member);
  const { kind, outcome, name: what, arguments: given, kept, approverId, onBehalfOf, actorId, targetId } = entry;
  const about = [
    auditOutcomeWords[outcome].toLowerCase(),
    ...(kind !== 'approval' && approverId !== null ? [`approved by ${name(approverId)}`] : []),
    ...(onBehalfOf !== null && onBehalfOf !== actorId ? [`for ${name(onBehalfOf)}`] : []),
    entry.taskId ?? entry.invocationId ?? entry.conversationId ?? '',
  ].filter((part) => part !== '');
  const text = auditText({ kind, actor: name(actorId), target: targetId === null ? undefined : name(targetId), name: what, outcome });
  const line = `${new Date(entry.at).toISOString()}  ${auditKindWords[kind]}: ${text}  (${about.join(', ')})`;
  if (kind === 'read') return line;
  return `${line}\n  ${kept ? JSON.stringify(given) : 'The arguments were erased.'}`;
}
