import { expect, test } from 'vitest';
import { eventTitle } from './agreed-texts.ts';

const peer = 'agent:bob@relay.example';
const summary = 'Dinner, Friday 20 November, 18:00–20:00';

test.each([
  [{ event_type: 'dinner' }, 'Dinner with Bob'],
  [{ event_type: ' ' }, `${summary} with Bob`],
  [{ event_type: { name: 'dinner' } }, `${summary} with Bob`],
  [{}, `${summary} with Bob`],
])('[A2C-15] an event says what it is and with whom: %j', (details, title) => expect(eventTitle({ peer, summary, details })).toBe(title));

test('[A2C-15] an address in several words is a name in several words', () => {
  expect(eventTitle({ peer: 'agent:ben.okafor@hub.example', summary, details: { event_type: 'lunch' } })).toBe('Lunch with Ben Okafor');
});

test('[A2C-15] a host calls people by the names it knows, and a long text of the peer is cut', () => {
  expect(eventTitle({ peer, summary, details: { event_type: 'call' } }, () => 'Robert')).toBe('Call with Robert');
  const others = ['agent:ann@r', 'agent:ben@r', 'agent:cleo@r'];
  expect(eventTitle({ peer, others, summary, details: { event_type: 'games' } })).toBe('Games with Ann, Ben and Cleo');
  expect(eventTitle({ peer, summary, details: { event_type: 'x'.repeat(10_000) } })).toHaveLength(509);
});
