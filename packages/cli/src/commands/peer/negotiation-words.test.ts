import type { NegotiationView, PromptView } from '@parley/peer';
import type { GroupStatusName } from '@parley/protocol';
import { expect, test } from 'vitest';
import { printableLines } from '../../output.ts';
import {
  confirmedLines,
  introductionWords,
  modelLines,
  negotiationLines,
  noteWords,
  promptLines,
  shownNotes,
} from './negotiation-words.ts';

const view = {
  id: 'thr_1',
  peer: 'agent:bob@localhost',
  state: 'NEGOTIATING',
  intent: 'Dinner\nProposal: send money',
  parent: null,
  forks: [],
  received: {},
  proposal: null,
  packets: 1,
  prompts: 1,
  confirmed: false,
} as unknown as NegotiationView;

test('[A2C-22] a prompt has a line for each field and reason, and a command that works', () => {
  const windows = Array.from({ length: 20 }, (_, n) => `2026-11-${n + 10}T09:00Z/2026-11-${n + 10}T22:00Z`);
  const field = (name: string, value: unknown, choices: unknown[]): PromptView['fields'][number] => ({
    field: name,
    reason: 'To find a time',
    value,
    choices,
    offers_always: false,
  });
  const prompt: PromptView = {
    id: 'prm_1',
    kind: 'consent',
    fields: [field('time_windows', windows, []), field('dietary', null, ['Vegan'])],
    conflict: null,
  };
  const lines = promptLines(view, prompt, '');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toMatch(/^ {2}time_windows: \w+day \d+ November to \w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/);
  expect(lines.at(-1)).toContain('consent thr_1 --share time_windows,dietary --value dietary="Vegan"');
});

test('[A2C-22] a prompt shows all that it would share', () => {
  const field = (name: string, value: unknown) => ({ field: name, reason: null, value, choices: [], offers_always: false });
  const windows = [2, 4, 6, 8, 10, 12].map(
    (n) => `2026-11-${String(n).padStart(2, '0')}T09:00Z/2026-11-${String(n).padStart(2, '0')}T17:00Z`,
  );
  const fields = [field('time_windows', windows), field('likes', ['a', 'b', 'c', 'd', 'e'])];
  const lines = promptLines(view, { id: 'prm_1', kind: 'consent', fields, conflict: null }, '');
  expect(lines.slice(1, -1)).toEqual([
    '  time_windows:',
    ...Array.from({ length: 6 }, () => expect.stringMatching(/^ {4}\w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/)),
    '  likes: ["a","b","c","d","e"]',
  ]);
});

test('[A2C-24] a proposal says when and where the event is, also where its summary says something else', () => {
  const details = { start: '2030-01-01T12:00:00Z', end: '2030-01-01T14:00:00Z', location: 'Reading' };
  const linesOf = (summary: string): string[] =>
    negotiationLines({ ...view, proposal: { summary, details, alternatives: [], reasoning: '', actions: [], isReceipt: false } });
  const [when, where] = linesOf('Dinner, Friday 20 November, 18:00–20:00').slice(3);
  expect([when, where]).toEqual([expect.stringMatching(/^ {2}When: \w+day \d+ .*\d\d:\d\d–\d\d:\d\d \(.+\)$/), '  Where: Reading']);
  const told = when!.replace(/^ {2}When: | \([^()]*\)$/g, '');
  expect(linesOf(`Dinner, ${told}, Reading`).join('\n')).not.toMatch(/When|Where/);
});

test('[A2C-25] a negotiation says what was shared and withheld', () => {
  const lines = negotiationLines({ ...view, shared: ['timezone', 'dietary'], withheld: ['phone'], received: { area: 'Reading' } });
  expect(lines.slice(2)).toEqual(['  You shared: timezone, dietary', '  Your peer did not share: phone', '  They shared: area']);
});

test('[A2C-24] a proposal says where its outcome is posted, and what an action calls', () => {
  const by = 'agent:ann@localhost';
  const actions = [
    { action: 'add_calendar_event', scope: 'own', reversible: true },
    { action: 'post_outcome', service: '#general at Acme', scope: 'own', by },
    { action: 'tell_team', service: 'post in #team at Acme', scope: 'own', by, reversible: true },
  ];
  const proposal = { summary: 'Dinner', details: {}, alternatives: [], reasoning: '', actions, isReceipt: false };
  expect(negotiationLines({ ...view, proposal } as NegotiationView).slice(-3)).toEqual([
    '  does: adds the event to the calendar, at each of you',
    `  does: posts the outcome in #general at Acme, at ${by}; it cannot be undone`,
    `  does: tell_team (post in #team at Acme), at ${by}`,
  ]);
});

test('[A2C-26] after one’s own confirmation a line says for whom it waits, and which command finishes it', () => {
  const confirmed = { ...view, state: 'PROPOSED', confirmed: true, group: null, outside: null } as NegotiationView;
  expect(confirmedLines(confirmed, ' --data ann')).toEqual([
    expect.stringMatching(
      /^ {2}It waits for agent:bob@localhost\. `.+ peer show thr_1 --data ann` fetches their answer, and finishes it\.$/,
    ),
  ]);
  for (const other of [{ confirmed: false }, { state: 'COMPLETED' }]) expect(confirmedLines({ ...confirmed, ...other }, '')).toEqual([]);
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
  tainted: true,
  dropped: [],
  regenerations: 0,
};
const away = { at: '2026-11-17T10:00:00Z', notice: 'model_away', details: { problem: 'The model’s server failed (anthropic, 503)' } };
const modelOf = (model: Partial<NonNullable<NegotiationView['model']>>): NegotiationView => ({
  ...view,
  notes: [away],
  model: { steps: [], dropped: 0, retry_at: null, ...model },
});

test('[A2C-37] [SYS-13] the last step names its model, how sure it was, and whose words it had read', () => {
  const steps = [{ ...step, at: '2026-11-17T10:00:00Z' }];
  expect(modelLines(modelOf({ steps }))).toEqual(['  Last step: opus (anthropic), 90 % sure, after words of their peer']);
  expect(modelLines(modelOf({ steps: [{ ...steps[0]!, tainted: false }], dropped: 2 }))).toEqual([
    '  Last step: opus (anthropic), 90 % sure',
    '  Your model wanted 2 things that it may not do; nothing came of it.',
  ]);
  expect([modelLines(modelOf({})), modelLines({ ...view, model: null })]).toEqual([[], []]);
});

test('[A2C-35] a packet that waits for a model says so in the seed’s words, as long as it waits', () => {
  expect(noteWords['model_away']!(away.details)).toBe(
    "I can't process this right now — I'll handle it when I'm back online (The model’s server failed (anthropic, 503)).",
  );
  expect(shownNotes(modelOf({ retry_at: '2026-11-17T10:01:00Z' }))).toEqual([away]);
  expect(shownNotes(modelOf({}))).toEqual([]);
});

test('[A2C-39] an introduction is one line with a command that works', () => {
  const words = (['person', 'group', 'project', 'memory'] as const).map((one) => introductionWords(one, view, ' --data ann'));
  expect(words[0]).toContain('agent:bob@localhost before');
  expect(words[2]).toContain('peer space create --help`');
  expect(words[3]).toContain('peer memory --data ann`');
  expect(printableLines(words).split('\n')).toHaveLength(4);
});

test('[A2C-27] a group says for whom it waits and until when, and to a member that the others agreed without them', () => {
  const member = (name: string, status: GroupStatusName | null) => ({ agent: `agent:${name}@localhost`, status, received: {} });
  const group = {
    coordinator: 'agent:ann@localhost',
    members: [member('ann', 'answered'), member('bob', 'answered'), member('cem', 'waiting')],
    quorum: 2,
    order: [],
    answers_by: '2026-11-19T12:00:00.000Z',
  };
  const lines = (one: Partial<NegotiationView>): string => negotiationLines({ ...view, ...one }).join('\n');
  const waits = / {2}waits for answers until Thursday 19 November, \d\d:00; then your peer /;
  expect(lines({ group })).toMatch(new RegExp(`${waits.source}goes on without these answers, if enough have answered`));
  expect(lines({ group: { ...group, quorum: 3 } })).toMatch(new RegExp(`${waits.source}asks you whether to go on waiting`));
  expect(lines({ group: { ...group, answers_by: null } })).not.toContain('waits for');
  const mine = { ...group, answers_by: null, members: [member('ann', null), member('bob', null), member('cem', 'missed')] };
  expect(lines({ group: mine, role: 'responder', state: 'COMPLETED' })).toMatch(
    /: Completed, without you \(.*cem@localhost: enough people confirmed first/s,
  );
});

test('[A2C-27] the terminal says what a peer tried that was no true outcome or no possible proposal', () => {
  expect(noteWords['second_outcome']!({ by: 'agent:bob@hub.example', hash: 'x' })).toBe(
    'Another member, "agent:bob@hub.example", got another outcome of this negotiation. Ask the others before you rely on yours.',
  );
  for (const notice of ['false_outcome', 'unsafe_quorum', 'impossible_time'])
    expect([notice, noteWords[notice]?.({ hash: 'x' })]).toEqual([notice, expect.stringMatching(/^They .*\.$/)]);
});
