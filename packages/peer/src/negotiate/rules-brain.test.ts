import { describe, expect, it, test } from 'vitest';
import { openingView as opening, viewOf as view } from '../../test/kit/views.ts';
import type { BrainMove, BrainView } from './peer-brain.ts';
import { rulesBrain } from './rules-brain.ts';

const needsOf = (move: BrainMove): string[] => (move.kind === 'send' ? (move.content.needs ?? []).map(({ field }) => field) : []);
const proposalIn = (move: BrainMove) => {
  if (move.kind !== 'propose') throw new Error(`No proposal: ${JSON.stringify(move)}`);
  return move.content;
};

describe('[A2C-15] [A2C-31] what is remembered', () => {
  const remembered = { dietary: 'vegan', cuisine_preference: 'Thai food', transport_mode: 'by train' };

  test.each<[string, BrainView, string[]]>([
    ['nothing: the first packet asks', opening(), ['time_windows', 'dietary', 'location_preference']],
    ['their diet: the first packet does not ask', opening({ remembered }), ['time_windows', 'location_preference']],
    ['their free time is never remembered', opening({ remembered: {} }), ['time_windows', 'dietary', 'location_preference']],
    [
      'what the person wants to know is asked all the same',
      opening({ remembered, wanted: [{ field: 'dietary', priority: 'required' }] }),
      ['dietary', 'time_windows', 'location_preference'],
    ],
    ['nothing: the answer asks', view({ unavailable: [] }), ['cuisine_preference', 'transport_mode']],
    ['one of two: the answer asks for the other', view({ unavailable: [], remembered: { transport_mode: 'car' } }), ['cuisine_preference']],
    ['both: the answer asks nothing', view({ unavailable: [], remembered }), []],
  ])('%s', async (_, one, fields) => {
    expect(needsOf(await rulesBrain(one))).toEqual(fields);
  });

  it('goes into no packet', async () => {
    for (const one of [
      opening({ remembered }),
      view({ remembered, unavailable: [] }),
      view({ remembered, received: {}, unavailable: ['time_windows'] }),
    ])
      expect(JSON.stringify(await rulesBrain(one))).not.toMatch(/vegan|Thai food|by train/);
  });

  it('what they will ask for is in the first packet', async () => {
    const move = await rulesBrain(opening({ expected: { shoe_size: 44 }, visible: { shoe_size: 44, phone: '+44 1' } }));
    expect(move).toMatchObject({ kind: 'send', content: { context: { shoe_size: 44 } } });
    expect(JSON.stringify(move)).not.toContain('+44 1');
  });
});

describe('[A2C-16] [A2C-25] after a decline', () => {
  it('of the free time a proposal is broader: any usual hour of the wished day', async () => {
    const { proposal } = proposalIn(
      await rulesBrain(view({ received: {}, unavailable: ['time_windows', 'cuisine_preference', 'transport_mode'] })),
    );
    expect(proposal.details).toMatchObject({ start: '2026-11-20T18:00+00:00' });
    expect(proposal.alternatives!.length).toBeGreaterThan(1);
    expect(proposal.reasoning).toContain('arranged without time_windows, cuisine_preference, transport_mode');
  });

  it('of anything else the known free time still counts, and nobody asks again', async () => {
    const { proposal } = proposalIn(await rulesBrain(view()));
    expect(proposal.details).toMatchObject({ start: '2026-11-20T18:00+00:00' });
  });
});

describe('[A2C-15] a proposal answers the needs of the peer', () => {
  const answers = { context_provided: { party_size: 2 }, context_unavailable: [{ field: 'budget_range', status: 'declined', hint: null }] };

  it('in the same packet', async () => {
    expect(await rulesBrain(view({ answers }))).toMatchObject({ kind: 'propose', content: answers });
  });

  it('before it, where a value has no place in its hash', async () => {
    const fraction = { ...answers, context_provided: { budget: { most: 30.5 } } };
    expect(await rulesBrain(view({ answers: fraction }))).toEqual({ kind: 'send', type: 'context_response', content: fraction });
  });
});
