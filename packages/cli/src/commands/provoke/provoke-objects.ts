// Lists, shows, changes and removes triggers, manifests, sources, schedules and absence monitors.

import { everyMember } from '@parley/sdk/pages';
import {
  invalidRequest,
  type Manifest,
  papVersion,
  ParleyError,
  plainErrors,
  type Problem,
  problemsOf,
  type ProvokeKind,
  type ProvokeObject,
  type ProvokeVersion,
  Source,
  type StandingObject,
} from '@parley/protocol';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { type Output, printable, shownJson, table } from '../../output.ts';
import { type ProvokeModule, provokeCore, readProvoking } from '../../provoke/files.ts';
import { everyObject, visibleFiles, refuseId } from '../../provoke/hub-lists.ts';
import { keyLines, standingWords } from '../../provoke/schedule-words.ts';
import type { CommandContext, Settings } from '../../settings.ts';
import { fileText } from '../../input.ts';

export type ProvokeAction = 'list' | 'show' | 'put' | 'history' | 'enable' | 'disable' | 'remove';

/** Their names in the shell, and their keys in a document. */
const provokeNames = {
  triggers: { kind: 'trigger', part: 'trigger' },
  manifests: { kind: 'manifest', part: 'agent' },
  sources: { kind: 'source', part: 'source' },
  schedules: { kind: 'schedule', part: 'schedule' },
  absences: { kind: 'absence', part: 'absence' },
} as const satisfies Record<string, { kind: ProvokeKind; part: string }>;
export type ProvokeName = keyof typeof provokeNames;

export async function provoke(
  { settings, output }: CommandContext,
  name: ProvokeName,
  action: ProvokeAction,
  subject: string | undefined,
): Promise<void> {
  const { kind } = provokeNames[name];
  if (action === 'list') {
    refuseId(name, subject);
    return list(settings, name, output);
  }
  if (subject === undefined)
    throw new CliError('usage', action === 'put' ? 'Which file?' : `Which ${kind}?`, { hint: `\`${me} ${name}\` lists those there are.` });
  if (action === 'put') return put(settings, name, subject, output);
  const params = { kind, id: subject };
  const unlessGone = (error: unknown): never => {
    if (!(error instanceof ParleyError && error.code === 'not_found')) throw error;
    throw new CliError('not_found', `There is no ${kind} ${subject} that you may see.`, {
      hint: `\`${me} ${name}\` lists those there are.`,
    });
  };
  await withAccess(settings, async (access) => {
    if (action === 'history') return history(access, params, output).catch(unlessGone);
    const found = await access.call('getProvoke', { params }).catch(unlessGone);
    if (action === 'show') return show(found, name, output);
    const { version } = found;
    if (action === 'remove') {
      await access.call('removeProvoke', { params, query: { version } });
      return output.result({ ...params, removed: true }, `Removed ${subject}. Its history stays.`);
    }
    const after = await access.call('enableProvoke', { params, body: { version, enabled: action === 'enable' } });
    output.result(after, `${subject} is ${after.enabled ? 'on' : 'off'}: version ${after.version}.`);
  });
}

async function list(settings: Settings, name: ProvokeName, output: Output): Promise<void> {
  const { kind } = provokeNames[name];
  const { objects, names, files } = await withAccess(settings, async (access) => ({
    objects: await everyObject(access, kind),
    names: await namesOf(access),
    files: await visibleFiles(access),
  }));
  const rows = objects.map((one) => [
    one.id,
    `${one.enabled ? 'on' : 'off'}${one.warnings.length > 0 ? ', see below' : ''}`,
    names(one.ownerId),
    String(one.version),
    one.file ?? '',
    [brief(one), standingWords(one)].filter((text) => text !== '').join('; '),
  ]);
  const none = `There are no ${name} ${files ? 'yet' : 'that you may see'}. \`${me} ${name} put <file>\` puts one there.`;
  output.result({ objects }, rows.length === 0 ? none : table(['ID', 'STATE', 'OWNER', 'VERSION', 'FILE', 'ABOUT'], rows));
  for (const { id, warnings } of objects) for (const warning of warnings) output.note(`${id}: ${printable(warning)}`);
  for (const { file, problems } of files ?? []) {
    for (const { line, column, field, message } of problems)
      output.note(`Not in force: ${file}${line === null ? '' : `:${line}:${column}`}  ${field}: ${message}`);
    const retained = problems.length === 0 ? [] : objects.filter((one) => one.file === file);
    for (const { id, version } of retained) output.note(`Of ${file} version ${version} of ${id} stays in force.`);
  }
}

async function namesOf(access: HubAccess): Promise<(id: string) => string> {
  const { members } = await everyMember(access);
  const handles = new Map(members.map(({ id, handle }) => [id, `@${handle}`]));
  return (id) => handles.get(id) ?? '?';
}

/** Others may have written these texts, so they are made printable. */
const brief = (one: Pick<ProvokeObject, 'kind' | 'object'>): string => printable(briefOf(one));

function briefOf({ kind, object }: Pick<ProvokeObject, 'kind' | 'object'>): string {
  const at = (...path: string[]): string => {
    const value = path.reduce<unknown>((of, key) => (of as Record<string, unknown> | undefined)?.[key], object);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  switch (kind) {
    case 'trigger':
      return `${at('match', 'type')} → ${at('agent')}`;
    case 'manifest':
      return `${at('risk_level')}, ${at('model', 'model_id') || at('model', 'provider')}`;
    case 'source':
      return `${(object['types'] as string[]).join(' ')}${object['webhook'] ? `; webhook by ${at('webhook', 'verify')} ${at('webhook', 'secret')}` : ''}`;
    case 'schedule':
      return `${at('cron')} (${at('time_zone')}) → ${at('emit', 'type')}`;
    case 'absence':
      return `no ${at('match', 'type')} for ${at('within_seconds')} s → ${at('emit', 'type')}`;
  }
}

/** Prints the object as a file, so that `put` accepts it again. */
function show(found: StandingObject, name: ProvokeName, output: Output): void {
  const { part } = provokeNames[name];
  const document = { pap_version: papVersion, [part]: found.object };
  output.result(found, shownJson(document));
  output.note(`version ${found.version}, ${found.enabled ? 'on' : 'off'}${found.file === null ? '' : `, kept in ${found.file}`}`);
  for (const warning of found.warnings) output.note(printable(warning));
  const standing = standingWords(found);
  if (standing !== '') output.note([standing, ...keyLines(found)].join('\n'));
}

async function history(access: HubAccess, params: { kind: ProvokeKind; id: string }, output: Output): Promise<void> {
  const { versions } = await access.call('listProvokeVersions', { params });
  const names = await namesOf(access);
  const state = ({ removed, enabled }: ProvokeVersion): string => (removed ? 'removed' : enabled ? 'on' : 'off');
  const rows = versions.map((one) => [
    String(one.version),
    new Date(one.at).toISOString(),
    one.changedBy === null ? 'operator' : names(one.changedBy),
    state(one),
    brief({ kind: params.kind, object: one.object }),
  ]);
  output.result({ versions }, table(['VERSION', 'AT', 'BY', 'STATE', 'ABOUT'], rows));
}

interface Put {
  kind: ProvokeKind;
  object: { id: string } & Record<string, unknown>;
}

/** Puts the whole file, whichever command names it: a trigger and its manifest belong together. */
async function put(settings: Settings, name: ProvokeName, file: string, output: Output): Promise<void> {
  const core = await provokeCore();
  const puts = name === 'sources' ? await sourcesIn(core, file) : await partsIn(core, file);
  const objects = await withAccess(settings, async (access) => {
    const versions = new Map<string, number>();
    for (const kind of new Set(puts.map((one) => one.kind)))
      for (const one of await everyObject(access, kind)) versions.set(`${kind} ${one.id}`, one.version);
    const after: StandingObject[] = [];
    for (const { kind, object } of puts)
      // The version that was read, so that a change in between is not overwritten.
      after.push(
        await access.call('putProvoke', {
          params: { kind, id: object.id },
          body: { version: versions.get(`${kind} ${object.id}`) ?? 0, object },
        }),
      );
    return after;
  });
  output.result(
    { objects },
    objects.map(({ kind, id, version, enabled }) => `${kind} ${id}: version ${version}, ${enabled ? 'on' : 'off'}.`).join('\n'),
  );
  for (const { kind, id, warnings } of objects) for (const warning of warnings) output.note(`${kind} ${id}: ${warning}`);
}

/** Puts manifests first: until its manifest exists, a trigger rejects events. */
async function partsIn(core: ProvokeModule, file: string): Promise<Put[]> {
  const { manifests, triggers, schedules, absences } = await readProvoking(core, [file]);
  return [
    ...manifests.map(({ manifest }): Put => ({ kind: 'manifest', object: manifest satisfies Manifest })),
    ...triggers.map(({ trigger }): Put => ({ kind: 'trigger', object: trigger })),
    ...schedules.map(({ schedule }): Put => ({ kind: 'schedule', object: schedule })),
    ...absences.map(({ absence }): Put => ({ kind: 'absence', object: absence })),
  ];
}

/** Reads sources with or without a document around them. The hub checks them too, but only the file has line numbers. */
async function sourcesIn(core: ProvokeModule, file: string): Promise<Put[]> {
  const read = core.readText(await fileText(file));
  const problems: Problem[] = read.ok
    ? []
    : read.problems.map(({ line, column, message }) => ({ field: `${file}:${line}:${column}`, message }));
  const sources = read.documents.map(({ value, placeOf }): Put => {
    const document = value as { pap_version?: unknown; source?: unknown } | null;
    const isWrapped = document?.source !== undefined;
    const parsed = Source.safeParse(isWrapped ? document.source : value, plainErrors);
    const sourceProblems = parsed.success ? [] : problemsOf(parsed.error, isWrapped ? 'source' : '');
    if (isWrapped && document.pap_version !== papVersion)
      sourceProblems.push({ field: 'pap_version', message: `must be "${papVersion}", in quotes` });
    for (const { field, message } of sourceProblems) {
      const { line, column } = placeOf(field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
      problems.push({ field: `${file}:${line}:${column} ${field}`, message });
    }
    return { kind: 'source', object: (isWrapped ? document.source : value) as Put['object'] };
  });
  if (problems.length > 0) throw invalidRequest(problems);
  return sources;
}
