// The commands of a peer around negotiations.

import { type Command, Option } from 'commander';
import type { WebhookOptions } from '../commands/peer/actions.ts';
import type { AnswerOptions, ConsentOptions, GoOnOptions, NegotiateOptions, TierWord } from '../commands/peer/negotiate.ts';
import type { InviteOptions, ReplyOptions } from '../commands/peer/outside.ts';
import type { PeerCommandContext } from '../commands/peer/peer-access.ts';
import { addModel } from './model-program.ts';

const loadActions = () => import('../commands/peer/actions.ts');
const loadCalendars = () => import('../commands/peer/sharing.ts');
const load = () => import('../commands/peer/negotiate.ts');
const loadSharing = () => import('../commands/peer/sharing.ts');

export function addNegotiation(peer: Command, here: (command: Command) => PeerCommandContext): void {
  const profile = peer.command('profile').description('what your peer knows about you');
  profile
    .command('set')
    .argument('<field>', 'such as dietary or timezone')
    .argument('<value>', 'a text, or JSON; null removes it')
    .description('keep a value of yours; its tier decides who gets it')
    .action(async (field: string, value: string, _options: object, command: Command) =>
      (await load()).setField(here(command), field, value),
    );
  profile
    .command('list')
    .description('list your values')
    .action(async (_options: object, command: Command) => (await loadSharing()).listProfile(here(command)));
  const calendar = peer.command('calendar').description('when you are busy');
  calendar
    .command('add')
    .argument('<calendar>', 'an iCalendar file, its https:// address, or that of a CalDAV server')
    .description('read when you are busy from a calendar, again each time')
    .option('--username <name>', 'of a CalDAV server; the password comes from PARLEY_CALDAV_PASSWORD or a prompt')
    .action(async (link: string, options: { username?: string }, command: Command) =>
      (await loadCalendars()).addCalendar(here(command), link, options),
    );
  calendar
    .command('list')
    .description('list your calendars')
    .action(async (_options: object, command: Command) => (await loadCalendars()).listCalendars(here(command)));
  calendar
    .command('remove')
    .argument('<calendar>', 'as `list` shows it')
    .description('read a calendar no longer, and forget its password')
    .action(async (link: string, _options: object, command: Command) => (await loadCalendars()).removeCalendar(here(command), link));
  const action = peer.command('action').description('what your peer can do once you confirmed');
  action
    .command('add')
    .argument('<name>', 'such as book_table')
    .description('offer an action in proposals: a signed call of a webhook of yours')
    .requiredOption('--webhook <url>', 'called once when both have confirmed')
    .option('--undo <url>', 'called when something else failed; without it the action cannot be undone')
    .action(async (name: string, options: WebhookOptions, command: Command) =>
      (await loadActions()).addAction(here(command), name, options),
    );
  action
    .command('list')
    .description('list your actions')
    .action(async (_options: object, command: Command) => (await loadActions()).listActions(here(command)));
  action
    .command('remove')
    .argument('<name>')
    .description('offer an action no longer')
    .action(async (name: string, _options: object, command: Command) => (await loadActions()).removeAction(here(command), name));
  const tiers = peer.command('tiers').description('who gets which field');
  tiers
    .command('list')
    .description('list what your peer shares always, after asking you, or never')
    .action(async (_options: object, command: Command) => (await loadSharing()).listTiers(here(command)));
  tiers
    .command('set')
    .argument('<field>', 'such as dietary or time_windows')
    .argument('<tier>', 'always, ask or never')
    .option('--for <address>', 'only for this peer')
    .description('share a field always, after asking you, or never')
    .action(async (field: string, tier: string, options: { for?: string }, command: Command) =>
      (await load()).setTier(here(command), field, tier as TierWord, options),
    );
  peer
    .command('negotiate')
    .argument('<address...>', 'agent:<name>@<relay>; several make a group that your peer coordinates')
    .description('let your peer arrange something with theirs')
    .requiredOption('--intent <text>', 'in your words: "Dinner on Friday"')
    .option('--needs <json>', 'fields to ask for: [{"field":"phone","priority":"required","reason":"to call you"}]')
    .option('--quorum <number>', 'in a group: so many confirmations are enough, yours too')
    .option('--order <addresses>', 'in a group: who confirms in which order, such as a,b')
    .option('--answers-within <minutes>', 'in a group with a quorum: how long to wait for answers', '720')
    .action(async (addresses: string[], options: NegotiateOptions, command: Command) =>
      (await load()).negotiate(here(command), addresses, options),
    );
  addOutside(peer, here);
  peer
    .command('consent')
    .argument('<id>', 'a negotiation or a prompt')
    .description('decide what to share; fields that you do not name are declined')
    .option('--share <fields>', 'share these, this time')
    .option('--always <fields>', 'share these with this peer from now on')
    .option('--decline <fields>', 'do not share these')
    .option('--value <field=value...>', 'share another value than the stored one')
    .action(async (id: string, options: ConsentOptions, command: Command) => (await load()).consent(here(command), id, options));
  peer
    .command('confirm')
    .argument('<id>', 'a negotiation or a prompt')
    .description('confirm the proposal, or answer it in another way')
    .addOption(
      new Option('--anyway', 'keep both, where your calendar has something else then').conflicts(['different', 'excuse', 'decline']),
    )
    .addOption(new Option('--different <text>', 'suggest something else: "Saturday 20:00", "at Dopo"').conflicts(['excuse', 'decline']))
    .addOption(new Option('--excuse', 'decline this time with an excuse; your reason stays here').conflicts('decline'))
    .option('--decline', 'end the negotiation')
    .action(async (id: string, options: AnswerOptions, command: Command) => (await load()).confirm(here(command), id, options));
  peer
    .command('answer')
    .argument('<id>', 'a negotiation or a prompt')
    .description('let a negotiation go on with somebody unverified, or about something new')
    .addOption(new Option('--ignore', 'somebody unverified: send nothing, they get no answer').conflicts(['keep', 'decline']))
    .addOption(new Option('--keep', 'about something new: keep it as it was').conflicts('decline'))
    .option('--decline', 'about something new: end the negotiation')
    .action(async (id: string, options: GoOnOptions, command: Command) => (await load()).answer(here(command), id, options));
  peer
    .command('intent')
    .argument('<id>', 'a negotiation')
    .description('say what a running negotiation is about now')
    .requiredOption('--text <text>', 'in your words: "Game night on Friday (dinner and games)"')
    .option('--needs <json>', 'fields to ask for besides: [{"field":"game_preferences","priority":"helpful"}]')
    .action(async (id: string, options: { text: string; needs?: string }, command: Command) =>
      (await load()).changeIntent(here(command), id, options),
    );
  peer
    .command('fork')
    .argument('<id>', 'a negotiation')
    .description('split something off from a negotiation; it goes on with what is left')
    .requiredOption('--into <text...>', 'what is split off, in your words: "Games on Friday at 21:00"')
    .option('--rest <text>', 'what is left: "Dinner on Friday at 18:00"')
    .action(async (id: string, options: { into: string[]; rest?: string }, command: Command) =>
      (await load()).fork(here(command), id, options),
    );
  peer
    .command('continue')
    .argument('<id>', 'a negotiation')
    .description('let the peers go on after a conflict, a failure or their limit')
    .option('--different <text>', 'what to try: "next week", "Sunday 20:00", "a call"')
    .action(async (id: string, options: { different?: string }, command: Command) =>
      (await load()).steer(here(command), id, 'continue', options),
    );
  peer
    .command('transfer')
    .argument('<id>', 'a group that your peer coordinates')
    .argument('<address>', 'the member whose peer should coordinate it')
    .description('offer the coordination of a group to a member’s peer, which accepts or declines')
    .option('--reason <text>', 'why: their peer reads it')
    .action(async (id: string, address: string, options: { reason?: string }, command: Command) =>
      (await load()).transfer(here(command), id, address, options),
    );
  peer
    .command('decline')
    .argument('<id>', 'a negotiation')
    .description('end a negotiation')
    .action(async (id: string, _options: object, command: Command) => (await load()).steer(here(command), id, 'decline', {}));
  peer
    .command('show')
    .argument('[id]', 'a negotiation or a prompt; without it, all negotiations')
    .description('show how far a negotiation is, and what waits for you')
    .action(async (id: string | undefined, _options: object, command: Command) => (await load()).show(here(command), id));
  addMemory(peer, here);
  addSpaces(peer, here);
  addModel(peer, here);
}

const loadOutside = () => import('../commands/peer/outside.ts');

function addOutside(peer: Command, here: (command: Command) => PeerCommandContext): void {
  peer
    .command('invite-text')
    .argument('[id]', 'a request that you opened: its text once more')
    .description('ask somebody without an agent: a text to paste')
    .option('--to <name>', 'whom the text is for')
    .option('--intent <text>', 'in your words: "Dinner on Friday"')
    .option('--share <fields>', 'what the text may use, such as time_windows for times when you are free')
    .option('--from <name>', 'how the text calls you; otherwise as your address does')
    .action(async (id: string | undefined, options: InviteOptions, command: Command) =>
      (await loadOutside()).inviteText(here(command), id, options),
    );
  peer
    .command('invite-reply')
    .argument('<id>', 'the request')
    .argument('[words]', 'what they answered: "Friday 19:00 works"')
    .description('pass on the answer of somebody without an agent')
    .addOption(new Option('--option <number>', 'the time that suits them').conflicts(['other', 'cannot']))
    .addOption(new Option('--other <text>', 'they want something different').conflicts('cannot'))
    .option('--cannot', 'they can’t, and it ends')
    .action(async (id: string, words: string | undefined, options: ReplyOptions, command: Command) =>
      (await loadOutside()).inviteReply(here(command), id, words, options),
    );
}

const loadMemory = () => import('../commands/peer/memory.ts');

function addMemory(peer: Command, here: (command: Command) => PeerCommandContext): void {
  const memory = peer
    .command('memory')
    .argument('[address]', 'agent:<name>@<relay>; without it, everybody')
    .description('show what your peer remembers of other people; it never leaves this device')
    .action(async (address: string | undefined, _options: object, command: Command) => (await loadMemory()).show(here(command), address));
  memory
    .command('set')
    .argument('<address>', 'agent:<name>@<relay>')
    .argument('<field>', 'such as dietary')
    .argument('<value>', 'a text, or JSON')
    .description('correct a value that your peer remembers of somebody')
    .action(async (address: string, field: string, value: string, _options: object, command: Command) =>
      (await loadMemory()).set(here(command), address, field, value),
    );
  for (const part of ['label', 'notes'] as const)
    memory
      .command(part)
      .argument('<address>', 'agent:<name>@<relay>')
      .argument('<text>', part === 'label' ? 'such as "close friend"; empty removes it' : 'your own words; empty removes them')
      .description(part === 'label' ? 'call somebody something that only you read' : 'note something about somebody that only you read')
      .action(async (address: string, text: string, _options: object, command: Command) =>
        (await loadMemory()).describe(here(command), address, part, text),
      );
  memory
    .command('forget')
    .argument('<address>', 'agent:<name>@<relay>')
    .argument('[field]', 'only this value; without it, everything')
    .description('forget what your peer remembers of somebody')
    .action(async (address: string, field: string | undefined, _options: object, command: Command) =>
      (await loadMemory()).forget(here(command), address, field),
    );
}

const loadSpaces = () => import('../commands/peer/spaces.ts');

function addSpaces(peer: Command, here: (command: Command) => PeerCommandContext): void {
  const space = peer.command('space').description('fields that you and others write together');
  space
    .command('create')
    .argument('<name>', 'such as "Trip to Rome"')
    .description('share a space with others')
    .requiredOption('--with <address...>', 'agent:<name>@<relay>; they write everything, or after = only `read-all` or `write-own-fields`')
    .action(async (name: string, options: { with: string[] }, command: Command) =>
      (await loadSpaces()).create(here(command), name, options.with),
    );
  space
    .command('list')
    .description('list your spaces, and what others changed')
    .action(async (_options: object, command: Command) => (await loadSpaces()).list(here(command)));
  space
    .command('show')
    .argument('<id>', 'spc_…')
    .description('show the fields of a space, who wrote them, and what is new')
    .option('--history', 'earlier values too')
    .action(async (id: string, options: { history?: true }, command: Command) => (await loadSpaces()).show(here(command), id, options));
  space
    .command('set')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'such as hotel')
    .argument('<value>', 'a text, or JSON')
    .description('write a field; everybody in the space gets it')
    .action(async (id: string, field: string, value: string, _options: object, command: Command) =>
      (await loadSpaces()).set(here(command), id, field, value),
    );
  space
    .command('unset')
    .argument('<id>', 'spc_…')
    .argument('<field>')
    .description('remove a field')
    .action(async (id: string, field: string, _options: object, command: Command) => (await loadSpaces()).unset(here(command), id, field));
  space
    .command('join')
    .argument('<id>', 'spc_…')
    .description('write also to people in it whom you have not verified')
    .action(async (id: string, _options: object, command: Command) => (await loadSpaces()).join(here(command), id));
  space
    .command('watch')
    .argument('<id>', 'spc_…')
    .argument('[field...]', 'such as hotel, or "*" for all; none: nothing more')
    .description('mark changes of these fields, besides decisions, next actions for you and what you wrote')
    .action(async (id: string, fields: string[], _options: object, command: Command) =>
      (await loadSpaces()).watch(here(command), id, fields),
    );
  space
    .command('link')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'such as rules')
    .argument('<uri>', 'a resource of a tool server, such as file:///rules.md')
    .description('write a link to something outside; each reader opens it with a tool server of their own')
    .option('--name <name>', 'how the link is called')
    .option('--server <name>', 'the tool server that has it')
    .action(async (id: string, field: string, uri: string, options: { name?: string; server?: string }, command: Command) =>
      (await loadSpaces()).link(here(command), id, field, uri, options),
    );
  space
    .command('open')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'that holds a link')
    .description('read what a link points at, with a tool server of tools.yaml in your peer’s folder; others learn nothing of it')
    .option('--server <name>', 'default: the one that the link names')
    .option('--number <n>', 'which link of a list, from 1 on', '1')
    .action(async (id: string, field: string, options: { server?: string; number: string }, command: Command) =>
      (await import('../commands/peer/space-links.ts')).open(here(command), id, field, options),
    );
  space
    .command('leave')
    .argument('<id>', 'spc_…')
    .description('leave a space; the others go on without you')
    .action(async (id: string, _options: object, command: Command) => (await loadSpaces()).leave(here(command), id));
}
