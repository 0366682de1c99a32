// The brain that is always there: no model, no key, no network, and it says so. It knows the workspace and nothing
// else, and of the workspace only what the task lets it read.

import { isNeutralEnd, shortenText, timeText } from '@parley/core';
import { type Message, ParleyError } from '@parley/protocol';
import type { Brain, TurnOutcome, SubTask, BrainTurn, TaskWord, ToolsFor } from '../brain.ts';
import { arrange } from './arrange.ts';
import { summarise } from './summary.ts';

type Skill = (turn: BrainTurn, match: RegExpExecArray, toolsFor: ToolsFor) => Promise<TurnOutcome>;

const answer = (text: string): TurnOutcome => ({ kind: 'answer', text });
const blocked = (reason: string): TurnOutcome => ({ kind: 'decline', outcome: 'blocked', reason });
async function abilities(turn: BrainTurn): Promise<string> {
  const other = await otherAgent(turn);
  return [
    'I can',
    '- tell you what is going on (`what’s going on?`, `status`)',
    '- tell you who is here (`who is here?`)',
    '- tell you what is being worked on (`open tasks`)',
    '- sum up what was said (`summary`), or find it (`find …`)',
    ...(other === undefined ? [] : [`- ask another agent for you (\`ask ${other} who is here\`)`]),
    '- let your peer arrange something (`arrange dinner with @somebody on Friday`)',
  ].join('\n');
}
const help = async (turn: BrainTurn): Promise<TurnOutcome> =>
  answer(`I am a built-in agent: I work without a model, a key or a network, and I only know this workspace. ${await abilities(turn)}`);

/** The first that fits is used, so the particular stand before the general. */
const skills: [RegExp, Skill][] = [
  [/^\s*(?:sort|arrange|plan|organi[sz]e)(?:\s+out)?\b(.*)$/is, arrange],
  [/^\s*ask\s+(\^?)([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)[\s,:]+(?:to\s+|about\s+)?(.+)$/is, ask],
  [/^\s*(?:find|search(?: for)?|look for)\s*\??$/i, async () => ({ kind: 'question', text: 'Find what?' })],
  [/\b(?:find|search(?: for)?|look for|where did (?:we|anyone) (?:say|mention))\s+(.+?)\s*\??$/is, find],
  [/\b(?:help|what can you do|what do you do|who are you|how do you work)\b/i, help],
  [/\bwho(?:['’]?s| is| are)?\b.*\b(?:here|around|online|in (?:this|the) (?:channel|room|conversation))\b/is, who],
  [/\b(?:open tasks?|tasks|what (?:are you|is everyone|is being) (?:doing|working on|worked on))\b/i, tasks],
  [/\b(?:summary|summari[sz]e|recap|catch me up|tl;?dr|what did i miss|minutes)\b/i, summary],
  [/^\s*(?:hello|hi|hey|ping|good (?:morning|afternoon|evening))\b[\s!.?]*$/i, async (turn) => answer(`Hello! ${await intro(turn)}`)],
  [/\b(?:status|report|going on|what(?:['’]?s| is) (?:up|new|happening)|news|hello|hi|hey|ping)\b/i, status],
];

const place = '(?:here|in here|in (?:this|the) (?:channel|room|conversation|thread))';
const when = '(?: right now| now| today| so far| please)?';
/**
 * Only what it is sure to have an answer to, as the whole of a request: where nobody called it, "I cannot" helps nobody, and
 * "I found nothing" takes the work from one who could do it.
 */
const sure: RegExp[] = [
  `who(?:['’]?s| is| are| else is)? (?:all )?(?:${place}|online|around)(?: ${place})?`,
  `(?:what are the |list the |show the |any )?open tasks(?: ${place})?`,
  `what (?:is|are) (?:everyone|everybody|you all|being) (?:doing|working on|worked on)(?: ${place})?`,
  `(?:(?:give|get) (?:me|us) )?(?:a |the )?(?:summary|summari[sz]e|recap|tl;?dr)(?:(?: of| for)? (?:this|the) (?:channel|room|conversation|thread|discussion)| ${place})?`,
  `(?:catch me up|what did i miss|what have i missed)(?: ${place})?`,
  String.raw`where did (?:we|anyone) (?:say|mention) \S.*`,
  String.raw`(?:find|search for|look for) \S.* ${place}`,
  `what(?:['’]?s| is) going on(?: ${place})?`,
].map((pattern) => new RegExp(String.raw`^(?:please |could you |can you |would you |tell me )*${pattern}${when}[\s?!.]*$`, 'is'));

const noTools: ToolsFor = () => Promise.resolve([]);

export const builtinBrain = (toolsFor: ToolsFor = noTools): Brain => ({
  isModelless: true,
  takesUp: (text) => sure.some((pattern) => pattern.test(text.trim())),
  turn: async (turn) => {
    // A negotiation has ended, and the platform has said how.
    const result = turn.words.at(-1)?.kind === 'result' ? turn.words.at(-1)! : undefined;
    if (result) return answer(isNeutralEnd(result.text) ? 'My part in this is done.' : 'That’s settled.');
    if (turn.given.length > 0) return report(turn);
    const lastMessages = await lastAsked(turn);
    const text = withoutCalls(lastMessages.join(' '), turn.me.handle);
    const last = withoutCalls(lastMessages.at(-1) ?? '', turn.me.handle);
    if (text === '') return status(turn).catch(outOfSight);
    for (const [pattern, skill] of skills) {
      // Written in pieces, or one thing after the other.
      const match = pattern.exec(text) ?? pattern.exec(last);
      if (match) return skill(turn, match, toolsFor).catch(outOfSight);
    }
    return {
      kind: 'decline',
      outcome: 'declined',
      reason: `I am a built-in agent without a model, so I cannot answer that. ${await abilities(turn)}`,
    };
  },
});

/** Asked by an agent in their DM, it may see less than the chain's first requester. */
function outOfSight(error: unknown): TurnOutcome {
  if (!(error instanceof ParleyError) || error.code !== 'outside_task') throw error;
  return answer(
    'I am a built-in agent and report only what everyone who hears my answer may read. This conversation is not among that: ask me in the channel in question.',
  );
}

/** The last messages to the agent in a row. A reminder brings no words, so they are looked up. */
async function lastAsked(turn: BrainTurn): Promise<string[]> {
  const isAsked = ({ kind }: TaskWord): boolean => kind === 'request' || kind === 'follow_up';
  const end = turn.words.findLastIndex(isAsked) + 1;
  const before = turn.words.slice(0, end).findLastIndex((word) => !isAsked(word));
  const lastWords = turn.words.slice(before + 1, end);
  const reminded = lastWords.at(-1);
  if (turn.task.addressed_by !== 'obligation' || reminded?.kind !== 'request') return lastWords.map(({ text }) => text);
  return [await readStep(turn, 'pull', async () => (await turn.read.message(reminded.messageId)).body ?? '')];
}

/** The request without the agent's own name and the other names at its beginning. */
const withoutCalls = (text: string, handle: string): string =>
  text
    .replace(new RegExp(`[\\^@]${handle.replaceAll(/[.-]/g, String.raw`\$&`)}(?![A-Za-z0-9_-])[,:]?`, 'gi'), ' ')
    .replace(/^\s*(?:[\^@](?:all|any)\b[,:]?\s*)+/i, '')
    .replace(/^\s*(?:please|could you|can you|would you)\s+/i, '')
    .trim();

/** Every look at the workspace is a step of the turn: in the mode `strict`, a person is asked about it. */
const readStep = <T>(turn: BrainTurn, name: string, look: () => Promise<T>): Promise<T> =>
  turn.step({ kind: 'tool', name, readOnly: true }, look);

const membersOf = (turn: BrainTurn) =>
  readStep(turn, 'members', async () =>
    (await turn.read.members()).map(({ id, kind, handle, handle_fold }) => ({ id, kind, handle, handle_fold })),
  );
const isAbove = (turn: BrainTurn, id: string): boolean => (JSON.parse(turn.task.path) as string[]).includes(id);

/** An agent that it could ask here; undefined if there is none or it may not look. */
async function otherAgent(turn: BrainTurn): Promise<string | undefined> {
  const members = await membersOf(turn).catch((error: unknown) => {
    if (!(error instanceof ParleyError) || error.code !== 'outside_task') throw error;
    return [];
  });
  return members.find(({ id, kind, handle_fold }) => kind === 'agent' && handle_fold !== turn.me.handle_fold && !isAbove(turn, id))?.handle;
}

const tasksOf = (turn: BrainTurn) =>
  readStep(turn, 'tasks', async () =>
    (await turn.read.tasks())
      .filter(({ id }) => id !== turn.task.id)
      .map(({ id, agent_id, requester_id, state }) => ({ id, agent_id, requester_id, state })),
  );

const mentionOf = ({ kind, handle }: { kind: string; handle: string }): string => `${kind === 'agent' ? '^' : '@'}${handle}`;

const names = async (turn: BrainTurn): Promise<Map<string, string>> =>
  new Map((await membersOf(turn)).map((member) => [member.id, mentionOf(member)]));

/** Also of those who speak here and are not in it, as an agent does that an event has woken. */
async function authors(turn: BrainTurn, messages: readonly Message[]): Promise<(authorId: string | null) => string> {
  const ids = [...new Set(messages.flatMap(({ authorId }) => authorId ?? []))];
  const authorNames = await readStep(turn, 'members', async () =>
    (await turn.read.authors(ids)).map((one) => ({ id: one.id, name: mentionOf(one) })),
  );
  const handles = new Map(authorNames.map(({ id, name }) => [id, name]));
  return (authorId) => (authorId === null ? 'Parley' : (handles.get(authorId) ?? 'someone'));
}

const list = (parts: string[]): string => (parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`);
const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

async function who(turn: BrainTurn): Promise<TurnOutcome> {
  const members = await membersOf(turn);
  const people = members.filter((member) => member.kind === 'human').map((member) => `@${member.handle}`);
  const agents = members.filter((member) => member.kind === 'agent').map((member) => `^${member.handle}`);
  // Written as code: naming people must not call them.
  const handleList = (handles: string[]): string => list(handles.slice(0, 30).map((handle) => `\`${handle}\``));
  return answer(
    `${count(people.length, 'person', 'people')} here: ${handleList(people)}. ${count(agents.length, 'agent')}: ${handleList(agents)}.`,
  );
}

async function tasks(turn: BrainTurn): Promise<TurnOutcome> {
  const handles = await names(turn);
  const open = await tasksOf(turn);
  if (open.length === 0) return answer('Nothing else is being worked on here.');
  const lines = open.slice(0, 20).map((task) => {
    const agent = task.agent_id === null ? 'nobody yet' : (handles.get(task.agent_id) ?? 'an agent');
    return `- \`${agent}\`: ${task.state.replaceAll('_', ' ')}, asked by \`${handles.get(task.requester_id ?? '') ?? 'someone'}\``;
  });
  return answer(`${count(open.length, 'open task')} here besides this one:\n${lines.join('\n')}`);
}

const recentMessages = (turn: BrainTurn, limit: number): Promise<Message[]> =>
  readStep(turn, 'history', async () =>
    (await turn.read.history({ limit })).messages.filter((message) => message.id !== turn.task.message_id && message.body !== null),
  );

async function status(turn: BrainTurn): Promise<TurnOutcome> {
  const [messages, others] = [await recentMessages(turn, 100), await tasksOf(turn)];
  const nameOf = await authors(turn, messages);
  const speakers = [...new Set(messages.map(({ authorId }) => authorId))].map((id) => `\`${nameOf(id)}\``);
  const last = messages.at(-1);
  const said =
    last === undefined
      ? ['Nothing was said here before you.']
      : [
          `${messages.length === 1 ? 'The last message' : `The last ${count(messages.length, 'message')}`} here came from ${list(speakers.slice(0, 8))}. The latest:`,
          `> ${nameOf(last.authorId)}: ${shortenText(last.body!.replaceAll(/\s+/g, ' '), 160)}`,
        ];
  const work =
    others.length === 0 ? 'No other agent is at work here.' : `${count(others.length, 'other task')} open here: \`open tasks\` lists them.`;
  return answer([...said, work, '', await intro(turn)].join('\n'));
}

/** Introduces the agent and suggests a next message: for many people these are the first words here. */
async function intro(turn: BrainTurn): Promise<string> {
  const { handle } = turn.me;
  const other = await otherAgent(turn);
  return [
    `I am ^${handle}, built into this hub: I use no model and no network, so I answer from this workspace alone. Try`,
    '- `catch me up` for what was said, in its own words',
    '- `who is here?` or `open tasks`',
    '- `find` and a word, to see where it was said',
    ...(other === undefined ? [] : [`- \`ask ${other} who is here\`, to watch one agent give work to another`]),
    '- `arrange dinner with` and a person’s @name, and your peer asks theirs',
  ]
    .join('\n')
    .replace(`^${handle}`, `\`^${handle}\``);
}

async function summary(turn: BrainTurn): Promise<TurnOutcome> {
  const messages = await recentMessages(turn, 200);
  const nameOf = await authors(turn, messages);
  // Requests to agents say little about the conversation.
  const sentences = summarise(
    messages.filter((message) => !/(?:^|\s)\^[a-z0-9]/i.test(message.body ?? '')),
    5,
  );
  if (sentences.length === 0) return answer('There is nothing here to sum up yet.');
  const lines = sentences.map(({ authorId, text }) => `> ${nameOf(authorId)}: ${text}`);
  return answer(`From the last ${count(messages.length, 'message')}, in their own words:\n${lines.join('\n')}`);
}

async function find(turn: BrainTurn, match: RegExpExecArray): Promise<TurnOutcome> {
  const q = match[1]!.replaceAll(/["“”'‘’]/g, '').slice(0, 200);
  const { messages } = await readStep(turn, 'search', () => turn.read.search({ q, limit: 6 }));
  const hits = messages.filter((message) => message.id !== turn.task.message_id && message.body !== null).slice(0, 5);
  if (hits.length === 0) return answer('I found nothing about that in what everyone here may read.');
  const nameOf = await authors(turn, hits);
  const lines = hits.map((hit) => {
    const text = hit.body!.replaceAll(/\s+/g, ' ');
    return `> ${nameOf(hit.authorId)}, ${timeText(hit.createdAt)}: ${shortenText(text, 160)}`;
  });
  return answer(`${count(hits.length, 'place')} where it was said:\n${lines.join('\n')}`);
}

/** A real delegation: the other agent gets a task under this one, and this one goes on with its answer. */
async function ask(turn: BrainTurn, match: RegExpExecArray): Promise<TurnOutcome> {
  const [, sigil, handle, question] = match;
  const fold = handle!.toLowerCase();
  if (sigil === '^' && fold !== turn.me.handle_fold) return answer(`You have called \`^${handle}\` yourself; it will answer you.`);
  if (fold === turn.me.handle_fold) return help(turn);
  const target = (await membersOf(turn)).find((member) => member.kind === 'agent' && member.handle_fold === fold);
  if (!target) return blocked(`There is no agent called \`${handle}\` here.`);
  if (isAbove(turn, target.id)) return blocked(`\`^${target.handle}\` is working on this already, further up: I cannot ask it in turn.`);
  const { given } = await turn.say(`^${target.handle} ${question!.trim()}`);
  if (given > 0) return { kind: 'pause' };
  return blocked(`\`^${target.handle}\` could not be asked now.`);
}

async function report(turn: BrainTurn): Promise<TurnOutcome> {
  const asking = turn.given.find(({ task }) => task.state === 'waiting');
  if (asking) return passOn(turn, asking);
  if (turn.given.some(({ task }) => task.open === 1)) return { kind: 'pause' };
  const lines = turn.given.map(({ task, agent, words }) => {
    const name = `\`^${agent?.handle ?? 'nobody'}\``;
    if (task.state === 'completed')
      return words === undefined ? `${name} is done, without a word.` : `${name} answered:\n${asQuote(words)}`;
    return words === undefined ? `${name} did not answer (${task.state.replaceAll('_', ' ')}).` : `${name} could not: ${words}`;
  });
  return answer(lines.join('\n'));
}

/** A question from below goes up, and the answer to it down. */
async function passOn(turn: BrainTurn, { agent, words }: SubTask): Promise<TurnOutcome> {
  const last = turn.words.at(-1);
  const handle = agent?.handle ?? 'nobody';
  const said =
    last?.kind === 'signal' ? { agree: 'yes', declined: 'no' }[last.signal as string] : last?.kind === 'follow_up' ? last.text : undefined;
  if (said === undefined) return { kind: 'question', text: `\`^${handle}\` asks:\n${asQuote(words ?? '')}` };
  await turn.say(`^${handle} ${said}`);
  return { kind: 'pause' };
}

const asQuote = (text: string): string => text.replaceAll(/^/gm, '> ');
