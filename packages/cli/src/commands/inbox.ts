import { everyMember } from '@parley/sdk/pages';
import { answeredBefore, chosenLabel, detailParts, longestDetail, notRunText, timeText, untilText } from '@parley/core';
import { type AnsweredCheckpoint, type Checkpoint, ParleyError } from '@parley/protocol';
import { type HubAccess, needsMember, withAccess } from '../hub-access.ts';
import { promptLines } from '../peer-prompts.ts';
import { consentWith, fieldValuesIn } from '../consent-values.ts';
import { CliError } from '../exit.ts';
import { count, type Output, applyStyle, printable } from '../output.ts';
import { foldBlock, foldLines, foldWords } from '../fold-lines.ts';
import { me } from '../hints.ts';
import type { CommandContext, Settings } from '../settings.ts';

const emptyText = `Your inbox is empty. Questions that wait for your reply are in \`${me} owed\`.`;
const idIn = (typed: string | undefined): string | undefined => /chk_[0-9A-Z]{26}/.exec(typed ?? '')?.[0];

interface InboxOptions {
  all?: true;
  seen?: string;
  turns?: string;
  instruction?: string;
  value?: string[];
}

/** Accepts `<id> <choice>` and `<choice> <id>`. */
export async function inbox(
  { settings, output }: CommandContext,
  first: string | undefined,
  second: string | undefined,
  options: InboxOptions,
): Promise<void> {
  needsMember(settings, 'Only members have an inbox, and the operator of the hub is not one.');
  if (first === undefined) return list(settings, options, output);
  const checkpointId = idIn(first) ?? idIn(second);
  if (checkpointId === undefined && second === undefined) await askWhich(settings, first);
  if (checkpointId === undefined)
    throw new CliError('usage', `${second ?? first} is not the id of something that waits (chk_…).`, {
      hint: `\`${me} inbox\` lists them.`,
    });
  const choice = idIn(first) === undefined ? first : second;
  const [checkpoint, quotes, names] = await withAccess(settings, async (access) => {
    const [one, said] =
      choice === undefined
        ? await withQuotes(access, await whole(access, checkpointId))
        : [await (options.value ? share(access, checkpointId, choice, options.value) : close(access, checkpointId, choice, options)), []];
    return [one, said, await namesFor(access, [one])] as const;
  });
  if ('already' in checkpoint && checkpoint.already) {
    // A script reads the exit code: another member's denial must not look like its own approval.
    if (checkpoint.choice !== choice)
      throw new CliError('failed', answeredBefore(checkpoint), { hint: `\`${me} inbox ${checkpointId}\` shows it.` });
    output.note(answeredBefore(checkpoint));
  }
  output.result(checkpoint, itemText(checkpoint, quotes, names));
}

const close = (access: HubAccess, checkpointId: string, choice: string, options: InboxOptions): Promise<AnsweredCheckpoint> =>
  access
    .call('closeCheckpoint', { params: { checkpointId }, body: { choice, ...answerFields(options) } })
    .catch(asUnreadCall(checkpointId, choice));

async function share(access: HubAccess, checkpointId: string, choice: string, texts: string[]): Promise<AnsweredCheckpoint> {
  if (choice !== 'share') throw new CliError('usage', `--value goes with share, not with ${choice}.`);
  const { card } = await whole(access, checkpointId);
  return access.call('answerCheckpoint', { params: { checkpointId }, body: consentWith(card, fieldValuesIn(texts)) });
}

/** Refuses a choice without an ID, even for a single item: the person may not have read it. */
async function askWhich(settings: Settings, choice: string): Promise<void> {
  const { checkpoints } = await withAccess(settings, (access) => access.call('listCheckpoints', { query: {} }));
  const answerable = checkpoints.filter(({ choices }) => choices.some((one) => one.choice === choice));
  if (answerable.length === 0) return;
  const commands = answerable.slice(0, 5).map(({ id, text }) => `\`${me} inbox ${id} ${choice}\`: ${text.replace(/:$/, '')}`);
  throw new CliError('usage', `Which one? ${count(answerable.length, 'item')} in your inbox can be answered with ${choice}.`, {
    hint: commands.join('\n  '),
  });
}

/** The digest of a long call, and the limits for two agents that may go on. */
function answerFields({ seen, turns, instruction }: InboxOptions) {
  if (turns !== undefined && !/^\d{1,3}$/.test(turns)) throw new CliError('usage', `--turns must be a number from 1 to 100, not ${turns}.`);
  return {
    ...(seen === undefined ? {} : { seen }),
    ...(turns === undefined ? {} : { turns: Number(turns) }),
    ...(instruction === undefined ? {} : { instruction }),
  };
}

async function list(settings: Settings, options: { all?: true }, output: Output): Promise<void> {
  const query = { state: options.all ? 'all' : 'open' } as const;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  await withAccess(settings, async (access) => {
    const { checkpoints } = await access.call('listCheckpoints', { query });
    if (isTerminal && !output.json && !options.all && checkpoints.length > 0) {
      const { tapThrough } = await import('../checkpoint-prompts.ts');
      return tapThrough(checkpoints, {
        whole: (checkpointId) => whole(access, checkpointId),
        show: async (checkpoint) => checkpointText(...(await withQuotes(access, checkpoint))),
        answer: ({ id: checkpointId, digest }, choice, instruction) => {
          const body = { choice, ...(digest === null ? {} : { seen: digest }), ...(instruction === undefined ? {} : { instruction }) };
          return access.call('closeCheckpoint', { params: { checkpointId }, body });
        },
        share: ({ id: checkpointId, card }, values) =>
          access.call('answerCheckpoint', { params: { checkpointId }, body: consentWith(card, values) }),
        remarkOn: answerRemark,
      });
    }
    const all = await Promise.all(checkpoints.map((checkpoint) => withQuotes(access, checkpoint)));
    const names = await namesFor(access, checkpoints);
    const lines = all.map(([checkpoint, quotes]) => itemText(checkpoint, quotes, names));
    output.result({ checkpoints }, lines.length === 0 ? emptyText : lines.join('\n\n'));
  });
}

const whole = (access: HubAccess, checkpointId: string): Promise<Checkpoint> => access.call('getCheckpoint', { params: { checkpointId } });

/** Adds the messages that a checkpoint is about, so that the person can decide at once. */
async function withQuotes(access: HubAccess, checkpoint: Checkpoint): Promise<readonly [Checkpoint, string[]]> {
  if (!checkpoint.open || checkpoint.detail !== null) return [checkpoint, []];
  const reads = checkpoint.links.map(({ messageId }) => access.call('getMessage', { params: { messageId } }).catch(() => undefined));
  return [checkpoint, (await Promise.all(reads)).flatMap((message) => message?.body ?? [])];
}

const longestQuote = 500;
/** One line without control characters for the terminal. */
const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ');
const quoted = (text: string): string => `“${oneLine(text).slice(0, longestQuote)}${text.length > longestQuote ? '…' : ''}”`;

/** The lines of the platform, and marked lines that somebody else wrote. `before`: the columns before the first line. */
function checkpointText(
  { text, detail, cut, reason, until, wouldNotRun, id, card }: Checkpoint,
  quotes: readonly string[],
  before = 0,
): string {
  const { lines, event } = detailParts(detail ?? '');
  return [
    ...foldWords(text, undefined, before),
    ...(card === null ? [] : promptLines(card).flatMap((line) => foldBlock(`${/^ */.exec(line)![0]}${oneLine(line).trim()}`))),
    ...(lines === '' ? [] : foldLines(lines)),
    ...(event === null ? [] : ['Event:', ...foldBlock(event)]),
    ...(cut ? [`(cut; \`${me} inbox ${id}\` shows all of it)`] : []),
    ...(reason === null ? [] : foldWords(reason)),
    ...(wouldNotRun !== null ? foldWords(wouldNotRun) : until === null ? [] : [untilText(timeText(until))]),
    ...quotes.flatMap((quote) => foldBlock(quoted(quote))),
  ].join('\n');
}

type Names = ReadonlyMap<string, string>;

/** The handles of members who have answered. */
async function namesFor(access: HubAccess, checkpoints: readonly Checkpoint[]): Promise<Names> {
  if (checkpoints.every(({ closedBy }) => closedBy === null)) return new Map();
  const { members } = await everyMember(access);
  return new Map(members.map(({ id, handle }) => [id, `@${handle}`]));
}

function answerLine(checkpoint: Checkpoint, names: Names): string {
  const { closedBy, closedAt } = checkpoint;
  const who = closedBy === null ? '' : `, by ${names.get(closedBy) ?? 'somebody who is gone'}`;
  const when = closedAt === null ? '' : `, ${timeText(closedAt)}`;
  return `  Answered: ${chosenLabel(checkpoint)}${who}${when}.`;
}

/** An approval without effect gets a reason, so that it does not look like the others. */
const notRunLines = ({ notRun }: Checkpoint): string[] =>
  notRun === null
    ? []
    : [...foldWords(notRunText(notRun)), ...(notRun.again ? [`\`${me} invocations ask ${notRun.invocationId}\` asks again.`] : [])];

/** A remark on an answer that came second or had no effect. */
const answerRemark = (checkpoint: AnsweredCheckpoint): string | undefined => {
  const lines = [...(checkpoint.already ? [answeredBefore(checkpoint)] : []), ...notRunLines(checkpoint)];
  return lines.length === 0 ? undefined : lines.join('\n');
};

/** Lists show only part of a long call. */
const isLong = ({ detail, digest }: Checkpoint): boolean => digest !== null && (detail?.length ?? 0) > longestDetail;

function itemText(checkpoint: Checkpoint, quotes: readonly string[], names: Names): string {
  const { id, links, choices, open, digest } = checkpoint;
  return [
    `${id}  ${checkpointText(checkpoint, quotes, id.length).replaceAll('\n', '\n  ')}`,
    ...links.map(({ messageId }) => `  about ${messageId}`),
    ...(open
      ? [
          ...choices.map((one) => `  ${applyStyle('bold', one.choice)}  ${one.label}`),
          ...(isLong(checkpoint) ? [`  \`${me} inbox ${id} approve --seen ${digest}\` approves what is shown here`] : []),
        ]
      : [answerLine(checkpoint, names), ...notRunLines(checkpoint).map((line) => `  ${line}`)]),
  ].join('\n');
}

/** A person approves a long call only after reading all of it. The hub's text names a route; this one names a command. */
export const asUnreadCall =
  (checkpointId: string, choice: string) =>
  (error: unknown): never => {
    if (!(error instanceof ParleyError) || error.code !== 'unseen') throw error;
    throw new CliError('failed', 'The list shows only part of this call, so you have not seen all of what you would approve.', {
      hint: `\`${me} inbox ${checkpointId}\` shows all of it and its digest; then \`${me} inbox ${checkpointId} ${choice} --seen DIGEST\`.`,
      code: 'unseen',
    });
  };
