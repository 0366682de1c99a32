// Asking somebody without an agent: the text to paste, and what they answered.

import type { OutsideAnswer, OwnNegotiation } from '@parley/protocol';
import { CliError } from '../../exit.ts';
import { namesIn } from '../../input.ts';
import { me } from '../../hints.ts';
import { printableLines } from '../../output.ts';
import { change, changed, print } from './negotiate.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

interface InviteOptions {
  to?: string;
  intent?: string;
  share?: string;
  from?: string;
}

export async function inviteText(context: PeerCommandContext, id: string | undefined, options: InviteOptions): Promise<void> {
  const { to, intent, from } = options;
  if (id !== undefined) return printText(context, await withPeer(context, (peer) => peer.negotiation({ threadId: id })));
  if (to === undefined || intent === undefined)
    throw new CliError('usage', 'Name whom you ask and what: --to Carla --intent "Dinner on Friday". A known request is shown by its ID.');
  const request = { name: to, intent, share: namesIn(options.share), ...(from === undefined ? {} : { from }) };
  printText(context, await withPeer(context, (peer) => changed(peer, peer.invite(request))));
}

/** The text alone is the result, so that it can be piped. */
function printText(context: PeerCommandContext, view: OwnNegotiation): void {
  const { outside, threadId: id } = view;
  if (!outside)
    throw new CliError('usage', `${view.peer} has a peer, so there is no text for them. Look at it with \`${me} peer show ${id}\`.`);
  if (outside.text === null) return print(context, view);
  const folder = inFolder(context);
  context.output.result(view, printableLines(outside.text.split('\n')));
  if (!outside.awaitsReply) return;
  context.output.note('');
  context.output.note(`  ${outside.hint}`);
  context.output.note(
    `  When they answer: \`${me} peer invite-reply ${id}${folder} "their words"\`. A link instead of a text needs a hub.`,
  );
}

interface ReplyOptions {
  option?: string;
  other?: string;
  cannot?: true;
}

export async function inviteReply(
  context: PeerCommandContext,
  id: string,
  words: string | undefined,
  options: ReplyOptions,
): Promise<void> {
  const reply = replyIn(words, options);
  await change(context, (peer) => peer.reply({ threadId: id, reply })).catch((error: unknown) => {
    if (reply.kind !== 'words' || !(error instanceof CliError) || error.exit !== 'usage') throw error;
    throw new CliError('usage', error.message, { hint: `Write ${flags}.`, cause: error });
  });
}

const flags = '--option 2 for the second time, --other "Saturday 20:00" for another one, or --cannot';

function replyIn(words: string | undefined, { option, other, cannot }: ReplyOptions): OutsideAnswer {
  const text = words === undefined ? {} : { text: words };
  if (option !== undefined) {
    if (!/^\d$/.test(option)) throw new CliError('usage', `--option ${option}: write the number of the offered time.`);
    return { kind: 'works', option: Number(option), ...text };
  }
  if (other !== undefined) return { kind: 'other', text: other };
  if (cannot) return { kind: 'cannot', ...text };
  if (words === undefined) throw new CliError('usage', `Give their words, or ${flags}.`);
  return { kind: 'words', text: words };
}
