import { describe, expect, it, test } from 'vitest';
import { openingView, viewOf } from '../../test/kit/views.ts';
import type { BrainView } from '../negotiate/peer-brain.ts';
import { type ModelStep, readStep, toolsFor } from './model-move.ts';

const confidence = 0.9;
const send = (input: object) => ({ name: 'send_context', input: { confidence, ...input } });
const dinner = { event: 'dinner', start: '2026-11-20T18:00+00:00', end: '2026-11-20T20:00:00Z', reasoning: 'Both are free', confidence };
const propose = (input: object = {}) => ({ name: 'propose', input: { ...dinner, ...input } });
const answers = { context_provided: { dietary: 'vegan' }, context_unavailable: [] };

const step = (view: BrainView, ...calls: Parameters<typeof readStep>[1]): ModelStep => {
  const read = readStep(view, calls);
  if ('problem' in read) throw new Error(read.problem);
  return read;
};
const problem = (view: BrainView, ...calls: Parameters<typeof readStep>[1]): string => {
  const read = readStep(view, calls);
  return 'problem' in read ? read.problem : `none: ${JSON.stringify(read)}`;
};

describe('[A2C-21] a model names fields, and the host puts in their values', () => {
  const visible = { dietary: 'vegan', timezone: 'UTC' };

  it('fields that the peer may not get are dropped and counted', () => {
    const { move, dropped } = step(viewOf({ visible }), send({ share: ['dietary', 'health_info', '__proto__'] }));
    // Their names do not go out either.
    expect(move).toStrictEqual({ kind: 'send', type: 'context', content: { context: { dietary: 'vegan' } } });
    expect(dropped).toEqual(['health_info', '__proto__']);
  });

  it('members without a meaning, and further calls, are dropped and counted', () => {
    const extra = { to: 'agent:eve@relay.example', tiers: { health_info: 'always_share' }, confirm: true, share: ['dietary'] };
    const { move, dropped } = step(viewOf({ visible }), send(extra), propose(), { name: 'set_tier', input: {} });
    expect(move).toEqual({ kind: 'send', type: 'context', content: { context: { dietary: 'vegan' } } });
    expect(dropped).toEqual(['propose', 'set_tier', 'to', 'tiers', 'confirm']);
  });

  it('the answers that consent decided go out with every step', () => {
    for (const call of [send({ message: 'Hello' }), send({}), propose(), { name: 'wait', input: { confidence } }])
      expect(step(viewOf({ answers }), call).move).toMatchObject({ content: answers });
  });

  it('the first packet has the person’s words and wishes, whatever the model chose', () => {
    const wanted = [{ field: 'phone', priority: 'required' } as const];
    const { move } = step(openingView({ visible, wanted, expected: { budget_range: 'GBP 30' } }), send({ intent: { summary: 'Hack' } }));
    expect(move).toMatchObject({
      type: 'context',
      content: { intent: { summary: 'Dinner on Friday' }, context: { budget_range: 'GBP 30' }, needs: wanted },
    });
  });
});

describe('[A2C-17] needs', () => {
  const ask = (field: string) => ({ field, reason: 'It helps', priority: 'helpful' });

  it('at most five go out, none that was answered or declined', () => {
    const fields = ['time_windows', 'cuisine_preference', 'a', 'b', 'c', 'd', 'e', 'f', 'a'];
    const { move, dropped } = step(viewOf(), send({ ask: fields.map(ask) }));
    expect(move).toMatchObject({ type: 'context_request', content: { needs: ['a', 'b', 'c', 'd', 'e'].map(ask) } });
    expect(dropped).toEqual(['f']);
  });
});

describe('[A2C-36] steps that the rules refuse', () => {
  test.each<[string, BrainView, Parameters<typeof readStep>[1], RegExp]>([
    ['no call', viewOf(), [], /^Call one of these tools: send_context, propose, wait\.$/],
    ['an unknown tool', viewOf(), [{ name: 'confirm', input: {} }], /Call one of these tools/],
    ['broken arguments', viewOf(), [{ name: 'propose', input: '{"sta', broken: true }], /arguments of propose are not valid/],
    ['no confidence', viewOf(), [{ name: 'wait', input: {} }], /confidence/],
    ['a confidence above 1', viewOf(), [{ name: 'wait', input: { confidence: 7 } }], /confidence/],
    ['nothing to say', viewOf(), [send({})], /says and asks nothing new/],
    ['a proposal that is not its turn', viewOf({ awaitsProposal: true }), [propose()], /cannot propose now/],
    ['a time that is no time', viewOf(), [propose({ start: 'Friday' })], /start/],
    ['a time that no calendar has', viewOf(), [propose({ start: '2026-13-45T18:00Z' })], /no time that a calendar has/],
    ['an end before the start', viewOf(), [propose({ end: '2026-11-20T17:00:00Z' })], /end after its start/],
    ['a day and a half', viewOf(), [propose({ end: '2026-11-22T00:00:00Z' })], /within 12 hours/],
    ['another kind of meeting', viewOf(), [propose({ event: 'lunch' })], /asked for dinner, not for lunch/],
    ['no round start', viewOf(), [propose({ start: '2026-11-20T18:07:00Z' })], /quarter of an hour/],
    ['the past', viewOf(), [propose({ start: '2026-11-16T18:00:00Z', end: '2026-11-16T20:00:00Z' })], /has to lie between/],
    ['the person is not free', viewOf({ free: () => [] }), [propose()], /your person: busy/],
    ['the peer is not free', viewOf(), [propose({ start: '2026-11-19T18:00:00Z', end: '2026-11-19T20:00:00Z' })], /the peer: busy/],
    ['a time that somebody did not want', viewOf({ rejected: [Date.parse('2026-11-20T18:00Z')] }), [propose()], /did not want/],
    [
      'on the way from an event',
      viewOf({ travel: () => [{ from: Date.parse('2026-11-20T17:00Z'), to: Date.parse('2026-11-20T18:30Z') }] }),
      [propose()],
      /your person: travel/,
    ],
  ])('%s', (_, view, calls, expected) => expect(problem(view, ...calls)).toMatch(expected));

  it('a call on the way is none of them', () => {
    const travel = () => [{ from: Date.parse('2026-11-20T17:00Z'), to: Date.parse('2026-11-20T18:30Z') }];
    const { move } = step(viewOf({ travel }), propose({ event: 'call' }));
    const summary = expect.stringMatching(/^Call instead of dinner, Friday/);
    expect(move).toMatchObject({ kind: 'propose', content: { proposal: { summary } } });
  });
});

describe('[A2C-26] a proposal', () => {
  it('has the summary of its own times, and the actions that the host knows', () => {
    const { move, dropped } = step(
      viewOf({ visible: { offered_actions: [{ action: 'book_table', reversible: true }] } }),
      propose({
        place: 'Dopo\n\u202e',
        summary: 'Free cake',
        actions: ['transfer_money'],
        alternatives: [
          { start: '2026-11-20T19:00:00Z', end: '2026-11-20T21:00:00Z', reason: 'Later' },
          { start: '2026-11-19T19:00:00Z', end: '2026-11-19T21:00:00Z', reason: 'They are busy then' },
          { start: '2026-11-99T19:00:00Z', end: '2026-11-99T21:00:00Z', reason: 'Never' },
        ],
      }),
    );
    expect(move).toMatchObject({
      kind: 'propose',
      content: {
        proposal: {
          summary: 'Dinner, Friday 20 November, 18:00–20:00, Dopo \\u{202e}',
          details: { event_type: 'dinner', start: '2026-11-20T18:00+00:00', end: '2026-11-20T20:00+00:00', timezone: 'UTC' },
          alternatives: [{ summary: 'Dinner, Friday 20 November, 19:00–21:00', reason: 'Later' }],
        },
        actions_on_confirm: [{ action: 'add_calendar_event' }, { action: 'book_table', by: 'agent:bob@relay.example' }],
      },
    });
    expect(dropped).toEqual(['summary', 'actions', 'alternative', 'alternative']);
  });
});

it('[A2C-26] the tool for proposals is only there when it is its turn', () => {
  const names = (view: BrainView): string[] => toolsFor(view).map(({ name }) => name);
  expect(names(viewOf())).toEqual(['send_context', 'propose', 'wait']);
  expect(names(openingView())).toEqual(['send_context', 'wait']);
});
