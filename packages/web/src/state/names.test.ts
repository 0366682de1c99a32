import { ChannelName, Handle } from '@parley/protocol';
import { expect, test } from 'vitest';
import { conversation, member } from '../../test/fixtures.ts';
import { asChannelName, looksLikeAnother, suggestHandle, titleOf } from './names.ts';

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

test('[C2A-29] the handle stands beside a name that looks like another member’s', () => {
  const [ada, fake, gone] = [
    member('ada', { displayName: 'Ada', handle: 'ada' }),
    // Its first letter is Cyrillic.
    member('eve', { displayName: 'Аda', handle: 'eve' }),
    member('old', { displayName: 'Ben', status: 'deactivated' }),
  ];
  const members = { ada, eve: fake, ben: member('ben', { displayName: 'Ben' }), old: gone };
  expect(Object.values(members).map((one) => looksLikeAnother(one, members))).toEqual([true, true, false, true]);
  const dm = conversation('con', { kind: 'dm', name: null, memberIds: ['ben', 'eve'] });
  expect(titleOf(dm, { members, myId: 'ben' })).toBe('Аda (@eve)');
  const renamed = { ...members, eve: { ...fake, displayName: 'Eve' } };
  expect(looksLikeAnother(ada, renamed)).toBe(false);
});

test.each(['Olga Owner.', 'ꓳlga Owner', 'Olga Ⲟwner', 'Ꮎlga Owner', 'olga', 'OLGA.', '@olga'])(
  '[C2A-29] the handle stands beside %s, which passes for another member',
  (displayName) => {
    const olga = member('1', { displayName: 'Olga Owner', handle: 'olga' });
    const fake = member('2', { displayName, handle: 'eve' });
    expect(looksLikeAnother(fake, { 1: olga, 2: fake })).toBe(true);
    // Whoever is called by their own handle passes for nobody.
    const olaf = member('3', { displayName: 'Olaf', handle: 'olaf' });
    expect(looksLikeAnother(olaf, { 1: olga, 2: fake, 3: olaf })).toBe(false);
  },
);
