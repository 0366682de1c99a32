// The audit log, for owners, admins and the operator.

import { everyMember } from '@parley/sdk/pages';
import { auditActor, auditKindWords, auditOutcomeWords, auditText } from '@parley/core';
import { type AuditEntry, type AuditKind, auditKinds, type AuditPage } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { sigilHandle, findMember } from './members.ts';
import { seconds } from './tokens.ts';

export interface AuditOptions {
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
export async function audit(settings: Settings, { kind, member, since, last }: AuditOptions, output: Output): Promise<void> {
  if (!/^[1-9]\d*$/.test(last)) throw new CliError('usage', `--last ${last} is not a whole number.`);
  const after = since === undefined ? undefined : Date.now() - seconds(since, '--since') * 1000;
  const { entries, names } = await withAccess(settings, async (access) => {
    const query = {
      ...(kind === undefined ? {} : { kind: kindOf(kind) }),
      ...(member === undefined ? {} : { memberId: (await findMember(access, member)).id }),
      ...(after === undefined ? {} : { since: after }),
    };
    const found = await latest(access, Number(last), query);
    const { members } = await everyMember(access);
    return { entries: found, names: new Map(members.map((one) => [one.id, sigilHandle(one)])) };
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
