// The commands of a peer around negotiations.

import { type Command, Option } from 'commander';
import { run } from './action.ts';

const loadActions = () => import('../commands/peer/actions.ts');
const load = () => import('../commands/peer/negotiate.ts');
const loadSharing = () => import('../commands/peer/sharing.ts');
const loadCalendars = () => import('../commands/peer/calendars.ts');

export function addNegotiation(peer: Command): void {
  const profile = peer.command('profile').description('what your peer knows about you');
  profile
    .command('set')
    .argument('<field>', 'such as dietary or timezone')
    .argument('<value>', 'a text, or JSON; null removes it')
    .description('keep a value of yours; its tier decides who gets it')
    .action(run(async () => (await load()).setField));
  profile
    .command('list')
    .description('list your values')
    .action(run(async () => (await loadSharing()).listProfile));
  const calendar = peer.command('calendar').description('when you are busy');
  calendar
    .command('add')
    .argument('<calendar>', 'an iCalendar file, its https:// address, or that of a CalDAV server')
    .description('read when you are busy from a calendar, again each time')
    .option('--username <name>', 'of a CalDAV server; the password comes from PARLEY_CALDAV_PASSWORD or a prompt')
    .action(run(async () => (await loadCalendars()).addCalendar));
  calendar
    .command('list')
    .description('list your calendars')
    .action(run(async () => (await loadCalendars()).listCalendars));
  calendar
    .command('remove')
    .argument('<calendar>', 'as `list` shows it')
    .description('read a calendar no longer, and forget its password')
    .action(run(async () => (await loadCalendars()).removeCalendar));
  const action = peer.command('action').description('what your peer can do once you confirmed');
  action
    .command('add')
    .argument('<name>', 'such as book_table')
    .description('offer an action in proposals: a signed call of a webhook of yours')
    .requiredOption('--webhook <url>', 'called once when both have confirmed')
    .option('--undo <url>', 'called when something else failed; without it the action cannot be undone')
    .action(run(async () => (await loadActions()).addAction));
  action
    .command('list')
    .description('list your actions')
    .action(run(async () => (await loadActions()).listActions));
  action
    .command('remove')
    .argument('<name>')
    .description('offer an action no longer')
    .action(run(async () => (await loadActions()).removeAction));
  const tiers = peer.command('tiers').description('who gets which field');
  tiers
    .command('list')
    .description('list what your peer shares always, after asking you, or never')
    .action(run(async () => (await loadSharing()).listTiers));
  tiers
    .command('set')
    .argument('<field>', 'such as dietary or time_windows')
    .argument('<tier>', 'always, ask or never')
    .option('--for <address>', 'only for this peer')
    .description('share a field always, after asking you, or never')
    .action(run(async () => (await load()).setTier));
  peer
    .command('negotiate')
    .argument('<address...>', 'agent:<name>@<relay>; several make a group that your peer coordinates')
    .description('let your peer arrange something with theirs')
    .requiredOption('--intent <text>', 'in your words: "Dinner on Friday"')
    .option('--needs <json>', 'fields to ask for: [{"field":"phone","priority":"required","reason":"to call you"}]')
    .option('--quorum <number>', 'in a group: so many confirmations are enough, yours too')
    .option('--order <addresses>', 'in a group: who confirms in which order, such as a,b')
    .option('--answers-within <minutes>', 'in a group with a quorum: how long to wait for answers', '720')
    .action(run(async () => (await load()).negotiate));
  addOutside(peer);
  peer
    .command('consent')
    .argument('<id>', 'a negotiation or a prompt')
    .description('decide what to share; fields that you do not name are declined')
    .option('--share <fields>', 'share these, this time')
    .option('--always <fields>', 'share these with this peer from now on')
    .option('--decline <fields>', 'do not share these')
    .option('--value <field=value...>', 'share another value than the stored one')
    .action(run(async () => (await load()).consent));
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
    .action(run(async () => (await load()).confirm));
  peer
    .command('answer')
    .argument('<id>', 'a negotiation or a prompt')
    .description('let a negotiation go on with somebody unverified, or about something new')
    .addOption(new Option('--ignore', 'somebody unverified: send nothing, they get no answer').conflicts(['keep', 'decline']))
    .addOption(new Option('--keep', 'about something new: keep it as it was').conflicts('decline'))
    .option('--decline', 'about something new: end the negotiation')
    .action(run(async () => (await load()).answer));
  peer
    .command('intent')
    .argument('<id>', 'a negotiation')
    .description('say what a running negotiation is about now')
    .requiredOption('--text <text>', 'in your words: "Game night on Friday (dinner and games)"')
    .option('--needs <json>', 'fields to ask for besides: [{"field":"game_preferences","priority":"helpful"}]')
    .action(run(async () => (await load()).changeIntent));
  peer
    .command('fork')
    .argument('<id>', 'a negotiation')
    .description('split something off from a negotiation; it goes on with what is left')
    .requiredOption('--into <text...>', 'what is split off, in your words: "Games on Friday at 21:00"')
    .option('--rest <text>', 'what is left: "Dinner on Friday at 18:00"')
    .action(run(async () => (await load()).fork));
  peer
    .command('continue')
    .argument('<id>', 'a negotiation')
    .description('let the peers go on after a conflict, a failure or their limit')
    .option('--different <text>', 'what to try: "next week", "Sunday 20:00", "a call"')
    .action(run(async () => (await load()).carryOn));
  peer
    .command('transfer')
    .argument('<id>', 'a group that your peer coordinates')
    .argument('<address>', 'the member whose peer should coordinate it')
    .description('offer the coordination of a group to a member’s peer, which accepts or declines')
    .option('--reason <text>', 'why: their peer reads it')
    .action(run(async () => (await load()).transfer));
  peer
    .command('decline')
    .argument('<id>', 'a negotiation')
    .description('end a negotiation')
    .action(run(async () => (await load()).decline));
  peer
    .command('show')
    .argument('[id]', 'a negotiation or a prompt; without it, all negotiations')
    .description('show how far a negotiation is, and what waits for you')
    .action(run(async () => (await load()).show));
  addMemory(peer);
  addSpaces(peer);
  addModel(peer);
}

const loadOutside = () => import('../commands/peer/outside.ts');

function addOutside(peer: Command): void {
  peer
    .command('invite-text')
    .argument('[id]', 'a request that you opened: its text once more')
    .description('ask somebody without an agent: a text to paste')
    .option('--to <name>', 'whom the text is for')
    .option('--intent <text>', 'in your words: "Dinner on Friday"')
    .option('--share <fields>', 'what the text may use, such as time_windows for times when you are free')
    .option('--from <name>', 'how the text calls you; otherwise as your address does')
    .action(run(async () => (await loadOutside()).inviteText));
  peer
    .command('invite-reply')
    .argument('<id>', 'the request')
    .argument('[words]', 'what they answered: "Friday 19:00 works"')
    .description('pass on the answer of somebody without an agent')
    .addOption(new Option('--option <number>', 'the time that suits them').conflicts(['other', 'cannot']))
    .addOption(new Option('--other <text>', 'they want something different').conflicts('cannot'))
    .option('--cannot', 'they can’t, and it ends')
    .action(run(async () => (await loadOutside()).inviteReply));
}

const loadMemory = () => import('../commands/peer/memory.ts');

function addMemory(peer: Command): void {
  const memory = peer
    .command('memory')
    .argument('[address]', 'agent:<name>@<relay>; without it, everybody')
    .description('show what your peer remembers of other people; it never leaves this device')
    .action(run(async () => (await loadMemory()).show));
  memory
    .command('set')
    .argument('<address>', 'agent:<name>@<relay>')
    .argument('<field>', 'such as dietary')
    .argument('<value>', 'a text, or JSON')
    .description('correct a value that your peer remembers of somebody')
    .action(run(async () => (await loadMemory()).set));
  for (const part of ['label', 'notes'] as const)
    memory
      .command(part)
      .argument('<address>', 'agent:<name>@<relay>')
      .argument('<text>', part === 'label' ? 'such as "close friend"; empty removes it' : 'your own words; empty removes them')
      .description(part === 'label' ? 'call somebody something that only you read' : 'note something about somebody that only you read')
      .action(run(async () => (await loadMemory())[part]));
  memory
    .command('forget')
    .argument('<address>', 'agent:<name>@<relay>')
    .argument('[field]', 'only this value; without it, everything')
    .description('forget what your peer remembers of somebody')
    .action(run(async () => (await loadMemory()).forget));
}

const loadSpaces = () => import('../commands/peer/spaces.ts');

function addSpaces(peer: Command): void {
  const space = peer.command('space').description('fields that you and others write together');
  space
    .command('create')
    .argument('<name>', 'such as "Trip to Rome"')
    .description('share a space with others')
    .requiredOption('--with <address...>', 'agent:<name>@<relay>; they write everything, or after = only `read-all` or `write-own-fields`')
    .action(run(async () => (await loadSpaces()).create));
  space
    .command('list')
    .description('list your spaces, and what others changed')
    .action(run(async () => (await loadSpaces()).list));
  space
    .command('show')
    .argument('<id>', 'spc_…')
    .description('show the fields of a space, who wrote them, and what is new')
    .option('--history', 'earlier values too')
    .action(run(async () => (await loadSpaces()).show));
  space
    .command('set')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'such as hotel')
    .argument('<value>', 'a text, or JSON')
    .description('write a field; everybody in the space gets it')
    .action(run(async () => (await loadSpaces()).set));
  space
    .command('unset')
    .argument('<id>', 'spc_…')
    .argument('<field>')
    .description('remove a field')
    .action(run(async () => (await loadSpaces()).unset));
  space
    .command('join')
    .argument('<id>', 'spc_…')
    .description('write also to people in it whom you have not verified')
    .action(run(async () => (await loadSpaces()).join));
  space
    .command('watch')
    .argument('<id>', 'spc_…')
    .argument('[field...]', 'such as hotel, or "*" for all; none: nothing more')
    .description('mark changes of these fields, besides decisions, next actions for you and what you wrote')
    .action(run(async () => (await loadSpaces()).watch));
  space
    .command('link')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'such as rules')
    .argument('<uri>', 'a resource of a tool server, such as file:///rules.md')
    .description('write a link to something outside; each reader opens it with a tool server of their own')
    .option('--name <name>', 'how the link is called')
    .option('--server <name>', 'the tool server that has it')
    .action(run(async () => (await loadSpaces()).link));
  space
    .command('open')
    .argument('<id>', 'spc_…')
    .argument('<field>', 'that holds a link')
    .description('read what a link points at, with a tool server of tools.yaml in your peer’s folder; others learn nothing of it')
    .option('--server <name>', 'default: the one that the link names')
    .option('--number <n>', 'which link of a list, from 1 on', '1')
    .action(run(async () => (await loadSpaces()).open));
  space
    .command('leave')
    .argument('<id>', 'spc_…')
    .description('leave a space; the others go on without you')
    .action(run(async () => (await loadSpaces()).leave));
}

const loadModels = () => import('../commands/peer/models.ts');

function addModel(peer: Command): void {
  const model = peer.command('model').description('the model that your peer thinks with; without one it goes by rules');
  model
    .command('set')
    .description('let a model negotiate for you; its provider reads what the other person’s peer may get, and their words')
    .addOption(
      new Option('--provider <name>', 'who runs the model').choices(['anthropic', 'openai', 'openai_compatible']).makeOptionMandatory(),
    )
    .option('--small <model>', 'for first packets and routine')
    .option('--medium <model>', 'for finding out what is missing; default: the large one')
    .option('--large <model>', 'for proposals, and where a smaller one is not sure')
    .option('--base-url <url>', 'of a server of your own')
    .option('--key-env <variable>', 'read the key from this variable each time; default: PARLEY_MODEL_KEY or a prompt, stored sealed')
    .option('--second', 'ask this one when the first one fails')
    .action(run(async () => (await loadModels()).setModel));
  model
    .command('show')
    .description('show the model, without its key')
    .action(run(async () => (await loadModels()).showModel));
  model
    .command('off')
    .description('negotiate without a model, and forget its key')
    .option('--second', 'only the second one')
    .action(run(async () => (await loadModels()).removeModel));
}
