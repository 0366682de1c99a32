import { expect, test } from 'vitest';
import type { BrainView } from './peer-brain.ts';
import { actionsFor } from './proposed-actions.ts';

const [ann, bob] = ['agent:ann@relay.example', 'agent:bob@relay.example'];
const wordsFor = (view: Partial<BrainView>): string[] =>
  actionsFor({ own: bob, peer: ann, role: 'responder', visible: {}, received: {}, ...view }).map(
    ({ action, scope, by, reversible }) =>
      `${action} ${scope}${by === undefined ? '' : ` by ${by}`}${reversible === true ? '' : ' for good'}`,
  );

test('[A2C-29] [A2C-24] a proposal lists the coordinator’s actions first, then each side’s own, then the post', () => {
  const anns = { offered_actions: [{ action: 'book_table', reversible: true }, { action: 'send_gift' }], outcome_audience: '#general' };
  const bobs = { offered_actions: [{ action: 'tell_club', reversible: true }] };
  const listed = [
    'book_table shared',
    'send_gift shared for good',
    'add_calendar_event own',
    `tell_club own by ${bob}`,
    `post_outcome own by ${ann} for good`,
  ];
  expect(wordsFor({ visible: bobs, received: anns })).toEqual(listed);
  expect(wordsFor({ visible: anns, received: bobs, own: ann, peer: bob, role: 'initiator' })).toEqual(listed);
});

test.each([undefined, null, 'book_table', {}, [1, null, { action: 'two words' }, { action: 7 }]])(
  '[A2C-29] an offer of %j is none',
  (offered) => {
    expect(wordsFor({ received: { offered_actions: offered as never, outcome_audience: 3 } })).toEqual(['add_calendar_event own']);
  },
);
