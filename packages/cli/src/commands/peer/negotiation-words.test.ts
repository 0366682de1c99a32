import type { GroupStatusName, OpenPrompt, OwnNegotiation } from '@parley/protocol';
import { expect, test } from 'vitest';
import { printableLines } from '../../output.ts';
import { confirmedLines, introductionWords, modelLines, negotiationLines, noticeLines, openPromptLines } from './negotiation-words.ts';

const view = {
  threadId: 'thr_1',
  peer: 'agent:bob@localhost',
  state: 'NEGOTIATING',
  intent: 'Dinner\nProposal: send money',
  family: [],
  received: {},
  steps: [],
  proposal: null,
  packets: 1,
  prompts: 1,
  isConfirmed: false,
} as unknown as OwnNegotiation;

const consent = (...fields: [name: string, value: unknown, choices?: string[]][]): OpenPrompt => ({
  id: 'prm_1',
  kind: 'consent',
  threadId: 'thr_1',
  peer: 'agent:bob@localhost',
  peerName: 'Bob',
  intent: 'Dinner',
  fields: fields.map(([field, value, choices = []]) => ({
    field,
    reason: 'To plan',
    value: value as string[] | null,
    choices,
    offersAlways: false,
  })),
});

test('[A2C-22] a prompt has a line for each field and reason, and a command that works', () => {
  const windows = Array.from({ length: 20 }, (_, n) => `2026-11-${n + 10}T11:00Z/2026-11-${n + 10}T12:00Z`);
  const lines = openPromptLines(consent(['time_windows', windows], ['dietary', null, ['Vegan']]), '');
  expect(lines[0]).toBe('Bob (agent:bob@localhost) asks, for: Dinner');
  expect(lines[1]).toBe('- time_windows, because: To plan:');
  expect(lines[2]).toMatch(/^ {2}\w+day \d+ November to \w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/);
  expect(lines).toHaveLength(5);
  expect(lines.at(-2)).toContain('- dietary: no value known; share one with --value dietary=…, perhaps Vegan, because: To plan');
  expect(lines.at(-1)).toContain('consent thr_1 --share time_windows,dietary --value dietary="Vegan"');
});

test('[A2C-22] a prompt shows all that it would share', () => {
  const days = ['02', '04', '06', '08', '10', '12'];
  const windows = days.map((day) => `2026-11-${day}T11:00Z/2026-11-${day}T12:00Z`);
  const lines = openPromptLines(consent(['time_windows', windows], ['likes', ['a', 'b', 'c', 'd', 'e']]), '');
  expect(lines.slice(1, -1)).toEqual([
    '- time_windows, because: To plan:',
    ...days.map(() => expect.stringMatching(/^ {2}\w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/) as string),
    '- likes: ["a","b","c","d","e"], because: To plan',
  ]);
});

test('[A2C-24] a proposal says when and where the event is, also where its summary says something else', () => {
  const details = { start: '2030-01-01T12:00:00Z', end: '2030-01-01T14:00:00Z', location: 'Reading' };
  const linesOf = (summary: string): string[] =>
    negotiationLines({ ...view, proposal: { hash: 'h', summary, details, alternatives: [], reasoning: '', actions: [] } });
  const [when, where] = linesOf('Dinner, Friday 20 November, 18:00–20:00').slice(3);
  expect([when, where]).toEqual([expect.stringMatching(/^ {2}When: \w+day \d+ .*\d\d:\d\d–\d\d:\d\d \(.+\)$/), '  Where: Reading']);
  const told = when!.replace(/^ {2}When: | \([^()]*\)$/g, '');
  expect(linesOf(`Dinner, ${told}, Reading`).join('\n')).not.toMatch(/When|Where/);
});

test('[A2C-25] a negotiation says what was shared and withheld', () => {
  const step = { at: 0, by: 'me' as const, kind: 'context', text: '', asked: [] };
  const steps = [
    { ...step, shared: { timezone: 'UTC', dietary: 'none' }, withheld: [] },
    { ...step, shared: { dietary: 'none' }, withheld: ['phone'] },
  ];
  const lines = negotiationLines({ ...view, steps, received: { area: 'Reading' } });
  expect(lines.slice(2)).toEqual(['  You shared: timezone, dietary', '  Your peer did not share: phone', '  They shared: area']);
});

test('[A2C-24] a proposal says where its outcome is posted, and what an action calls', () => {
  const by = 'agent:ann@localhost';
  const actions = [
    { action: 'add_calendar_event', text: 'Add “Dinner” to your calendar', scope: 'own', by: null, reversible: true, own: true },
    { action: 'post_outcome', text: 'Post “Dinner” in #general at Acme', scope: 'own', by, reversible: false, own: false },
    { action: 'tell_team', text: 'Post “Dinner” in #team at Acme (tell_team)', scope: 'own', by, reversible: true, own: false },
  ] as const;
  const proposal = { hash: 'h', summary: 'Dinner', details: {}, alternatives: [], reasoning: '', actions: [...actions] };
  expect(negotiationLines({ ...view, proposal }).slice(-3)).toEqual([
    '  does: Add “Dinner” to your calendar, at each of you',
    `  does: Post “Dinner” in #general at Acme, at ${by}; it cannot be undone`,
    `  does: Post “Dinner” in #team at Acme (tell_team), at ${by}`,
  ]);
});

test('[A2C-26] after one’s own confirmation a line says for whom it waits, and which command finishes it', () => {
  const confirmed = { ...view, state: 'PROPOSED', isConfirmed: true, isOutside: false };
  expect(confirmedLines(confirmed, ' --data ann')).toEqual([
    expect.stringMatching(
      /^ {2}It waits for agent:bob@localhost\. `.+ peer show thr_1 --data ann` fetches their answer, and finishes it\.$/,
    ),
  ]);
  for (const other of [{ isConfirmed: false }, { state: 'COMPLETED' }]) expect(confirmedLines({ ...confirmed, ...other }, '')).toEqual([]);
});

test('[C2A-29] words of a peer begin no line of their own', () => {
  expect(printableLines(negotiationLines(view)).split('\n')).toEqual([
    'thr_1 with agent:bob@localhost: Negotiating (1 packet, 1 consent prompt)',
    'Dinner Proposal: send money',
  ]);
});

const step = {
  task: 'propose',
  size: 'large',
  provider: 'anthropic',
  model: 'opus',
  confidence: 0.9,
  isTainted: true,
  dropped: [],
  regenerations: 0,
};
const modelOf = (model: Partial<NonNullable<OwnNegotiation['model']>>): OwnNegotiation => ({
  ...view,
  notes: [{ at: 0, notice: 'model_away', details: {}, text: 'Your model is away' }],
  model: { steps: [], dropped: 0, retryAt: null, ...model },
});

test('[A2C-37] [SYS-13] the last step names its model, how sure it was, and whose words it had read', () => {
  const steps = [{ ...step, at: 0 }];
  expect(modelLines(modelOf({ steps }))).toEqual(['  Last step: opus (anthropic), 90 % sure, after words of their peer']);
  expect(modelLines(modelOf({ steps: [{ ...steps[0]!, isTainted: false }], dropped: 2 }))).toEqual([
    '  Last step: opus (anthropic), 90 % sure',
    '  Your model wanted 2 things that it may not do; nothing came of it.',
  ]);
  expect([modelLines(modelOf({})), modelLines({ ...view, model: null })]).toEqual([[], []]);
});

test('[A2C-35] a packet that waits for a model says so as long as it waits', () => {
  expect(noticeLines(modelOf({ retryAt: 1 }))).toEqual(['  Your model is away.']);
  expect(noticeLines(modelOf({}))).toEqual([]);
});

test('[A2C-39] an introduction is one line with a command that works', () => {
  const words = (['person', 'group', 'project', 'memory'] as const).map((one) => introductionWords(one, view, ' --data ann'));
  expect(words[0]).toContain('agent:bob@localhost before');
  expect(words[2]).toContain('peer space create --help`');
  expect(words[3]).toContain('peer memory --data ann`');
  expect(printableLines(words).split('\n')).toHaveLength(4);
});

test('[A2C-27] a group says for whom it waits and until when, and to a member that the others agreed without them', () => {
  const member = (name: string, status: GroupStatusName | null) => ({ address: `agent:${name}@localhost`, name, isMe: false, status });
  const group = {
    coordinator: 'agent:ann@localhost',
    members: [member('ann', 'answered'), member('bob', 'answered'), member('cem', 'waiting')],
    coordinatorName: 'Ann',
    coordinates: true,
    confirmed: null,
    offeredTo: null,
    binding: null,
    quorum: 2,
    order: [],
    answersBy: Date.parse('2026-11-19T12:00:00.000Z'),
  };
  const lines = (one: Partial<OwnNegotiation>): string => negotiationLines({ ...view, ...one }).join('\n');
  const waits = / {2}waits for answers until Thursday 19 November, \d\d:00; then your peer /;
  expect(lines({ group })).toMatch(new RegExp(`${waits.source}goes on without these answers, if enough have answered`));
  expect(lines({ group: { ...group, quorum: 3 } })).toMatch(new RegExp(`${waits.source}asks you whether to go on waiting`));
  expect(lines({ group: { ...group, answersBy: null } })).not.toContain('waits for');
  const mine = { ...group, answersBy: null, members: [member('ann', null), member('bob', null), member('cem', 'missed')] };
  expect(lines({ group: mine, role: 'responder', state: 'COMPLETED' })).toMatch(
    /: Completed, without you \(.*cem@localhost: enough people confirmed first/s,
  );
});

test('[A2C-27] the terminal says what a peer tried, in the words of the timeline', () => {
  for (const notice of ['second_outcome', 'false_outcome', 'unsafe_quorum', 'impossible_time'])
    expect(noticeLines({ notes: [{ at: 0, notice, details: {}, text: 'They tried it' }], model: null, isPaused: false })).toEqual([
      '  They tried it.',
    ]);
});

test('[A2C-36] a negotiation says that it is paused, once and only while it is', () => {
  const notes = [1, 2].map((at) => ({ at, notice: 'paused', details: {}, text: `Paused ${at}` }));
  expect(noticeLines({ notes, model: null, isPaused: true })).toEqual(['  Paused 2.']);
  expect(noticeLines({ notes, model: null, isPaused: false })).toEqual([]);
});
