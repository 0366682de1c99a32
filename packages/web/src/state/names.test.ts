import { ChannelName, Handle } from '@parley/protocol';
import { expect, test } from 'vitest';
import { conversation, member } from '../../test/fixtures.ts';
import { asChannelName, suggestHandle, titleOf } from './names.ts';

test.each([
  ['Ada Lindqvist', 'ada.lindqvist'],
  ['  José  Núñez ', 'jose.nunez'],
  ['X Æ A-12', 'x.a.12'],
  ['李小龙', ''],
])('a handle for %s', (name, handle) => {
  expect(suggestHandle(name)).toBe(handle);
});

test('a suggested handle is one the hub takes, however long the name', () => {
  expect(Handle.safeParse(suggestHandle('Wolfeschlegelsteinhausenbergerdorff the Elder')).success).toBe(true);
});

test('what is typed becomes a channel name', () => {
  expect(asChannelName('Design Review!')).toBe('design-review');
  expect(ChannelName.safeParse(asChannelName('Übung 2')).success).toBe(true);
});

test('a DM is called by the others in it', () => {
  const members = { ada: member('ada', { displayName: 'Ada' }), ben: member('ben', { displayName: 'Ben' }) };
  const dm = conversation('con', { kind: 'dm', name: null, memberIds: ['ada', 'ben', 'eve'] });
  expect(titleOf(dm, { members, myId: 'ada' })).toBe('Ben, Someone');
});
