import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleFor } from '../consent/consent.ts';
import { hubSharing, type SharingRules, type SharingTier, sharingTiers } from '../consent/tiers.ts';
import { type Hearers, egress, holdsAny, mayHoldAny, type Recipient, type ChainSpeech, saysNoMore } from './egress.ts';
import { hasPrivateNotes, notesFor, valuesIn } from './private-data.ts';

const ann: Recipient = { id: 'ann', kind: 'human', ownerId: null };
const bob: Recipient = { id: 'bob', kind: 'human', ownerId: null };
const eve: Recipient = { id: 'eve', kind: 'human', ownerId: null };
const hers: Recipient = { id: 'hers', kind: 'agent', ownerId: 'ann' };
const his: Recipient = { id: 'his', kind: 'agent', ownerId: 'bob' };
const orac: Recipient = { id: 'orac', kind: 'agent', ownerId: null };
const peer: Recipient = { id: 'agent:bob@relay.example', kind: 'peer', ownerId: null };
const among = (...recipients: Recipient[]): Hearers => ({ recipients, anyone: false });
const inPublic = (...recipients: Recipient[]): Hearers => ({ recipients, anyone: true });
const byDefault = (): SharingRules => hubSharing();

describe('[SYS-6] what leaves, and to whom', () => {
  test.each<[string, string, Hearers, boolean]>([
    ['her memory to herself', 'memory', among(ann), true],
    ['to herself and an agent of hers', 'memory', among(ann, hers), true],
    ['between agents of hers', 'memory', among(hers), true],
    ['where somebody else hears it', 'memory', among(ann, bob), false],
    ['to an agent of somebody else', 'memory', among(hers, his), false],
    ['where anyone may look', 'memory', inPublic(ann), false],
    ['what is connected is as private', 'tool.calendar', among(ann, bob), false],
    ['a field of her profile that nobody sees', 'profile.phone', among(bob), false],
    ['her handle to anybody', 'profile.handle', among(bob, his), true],
    ['her name where anyone may look', 'profile.displayName', inPublic(bob), true],
    ['what she says about herself', 'profile.about', among(bob), true],
  ])('by default: %s', (_name, field, audience, ok) => {
    const tagged = { field, ownerId: 'ann' };
    expect(egress([tagged], audience, byDefault)).toEqual(ok ? { ok: true } : { ok: false, withheld: [tagged] });
  });

  test('one that may not leave holds back the whole, and only it is named', () => {
    const fields = [
      { field: 'profile.handle', ownerId: 'ann' },
      { field: 'memory', ownerId: 'bob' },
      { field: 'memory', ownerId: 'ann' },
    ];
    expect(egress(fields, among(ann), byDefault)).toEqual({ ok: false, withheld: [fields[1]] });
    expect(egress([], among(ann, bob), byDefault)).toEqual({ ok: true });
  });

  test('each value is held to the rules of its own owner', () => {
    const rulesOf = (ownerId: string): SharingRules =>
      hubSharing({ base: { memory: ownerId === 'ann' ? 'always_share' : 'ask_first' }, overrides: {} });
    const [open, closed] = ['ann', 'bob'].map((ownerId) => ({ field: 'memory', ownerId }));
    expect(egress([open!, closed!], among(eve), rulesOf)).toEqual({ ok: false, withheld: [closed] });
  });
});

describe('[SYS-6] every tier, recipient, override and channel', () => {
  const places: readonly [name: string, audience: Hearers][] = [
    ['herself', among(ann)],
    ['her own agent', among(ann, hers)],
    ['another person', among(ann, bob)],
    ['another person’s agent', among(ann, his)],
    ['a third person', among(ann, eve)],
    ['an agent of nobody', among(ann, orac)],
    ['a peer', among(peer)],
    ['a private channel of the three', among(ann, bob, eve)],
    ['a public channel with her alone', inPublic(ann)],
    ['a public channel with both', inPublic(ann, bob)],
    ['nobody known: a tool, an event, a webhook', inPublic()],
  ];
  // One sign for each place, in their order: `+` it may go there.
  test.each<[base: SharingTier, forBob: SharingTier | null, signs: string]>([
    ['always_share', null, '+++++++++++'],
    ['always_share', 'always_share', '+++++++++++'],
    ['always_share', 'ask_first', '++--+++----'],
    ['always_share', 'never_share', '++--+++----'],
    ['ask_first', null, '++---------'],
    ['ask_first', 'always_share', '++++-------'],
    ['ask_first', 'ask_first', '++---------'],
    ['ask_first', 'never_share', '++---------'],
    ['never_share', null, '+----------'],
    ['never_share', 'always_share', '+-++-------'],
    ['never_share', 'ask_first', '+----------'],
    ['never_share', 'never_share', '+----------'],
  ])('%s, for bob %s', (tier, forBob, signs) => {
    const rules: SharingRules = { base: { 'tool.mail': tier }, overrides: forBob === null ? {} : { bob: { Tool_Mail: forBob } } };
    const found = places.map(([, audience]) => egress([{ field: 'tool.mail', ownerId: 'ann' }], audience, () => rules).ok);
    const shown = (list: readonly boolean[]): string[] => list.map((ok, at) => `${ok ? '+' : '-'} ${places[at]![0]}`);
    expect(shown(found)).toEqual(shown(signs.split('').map((sign) => sign === '+')));
  });

  test('[A2C-21] a packet and a post ask one function: what a negotiator is given is what may go to that peer', () => {
    const seed = 20_261_118;
    const tier = fc.constantFrom(...sharingTiers);
    const field = fc.constantFrom('timezone', 'Dietary', 'health_info', 'memory', 'tool.mail', 'constructor');
    const tiers = fc.dictionary(field, tier);
    const address = fc.constantFrom(peer.id, 'agent:eve@relay.example');
    fc.assert(
      fc.property(tiers, fc.dictionary(address, tiers), address, field, (base, overrides, id, name) => {
        const rules = { base, overrides };
        const scope = { rules, recipient: { address: id, isVerified: true }, decisions: {}, request: null };
        const goes = egress([{ field: name, ownerId: 'ann' }], among({ ...peer, id }), () => rules).ok;
        expect(Object.keys(visibleFor({ [name]: 'value' }, scope))).toEqual(goes ? [name] : []);
      }),
      { seed },
    );
  });
});

describe('[SYS-6] what a text holds', () => {
  const notes =
    '# Preferences\n\n- The code is  4711-A\n* tea\n12. Lives in Bath\n- The code is  4711-A\n- [workspace] Deploys on Tuesdays\n';

  test('a value a line, without its mark, not the shortest, no title, and none for the workspace', () => {
    expect(valuesIn(notes)).toEqual(['The code is  4711-A', 'Lives in Bath']);
    expect(valuesIn('# Safe 4711-22\n')).toEqual(['Safe 4711-22']);
  });

  test('a note is private unless it is marked, and the private ones are left out whole', () => {
    expect(notesFor(notes, false)).toEqual({ text: '- Deploys on Tuesdays', withheld: 4 });
    const all = notesFor(notes, true);
    expect([all.withheld, all.text.includes('4711-A'), all.text.includes('# Preferences')]).toEqual([0, true, true]);
    expect([hasPrivateNotes(notes), hasPrivateNotes('# Team\n- [Workspace] Deploys on Tuesdays\n'), hasPrivateNotes('')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([
    ['as it was written', 'Well: lives in Bath, I think', true],
    ['in another case and spacing', 'SHE LIVES\n  IN   BATH', true],
    ['in letters that only look otherwise', 'ｌｉｖｅｓ in Bath', true],
    ['in other words', 'Bath is where she lives', false],
  ])('%s', (_name, text, held) => {
    expect(holdsAny(text, ['Lives in Bath'])).toBe(held);
  });

  test('what is too short to mean anything is never held', () => {
    expect(holdsAny('tea for two', ['tea', ' two '])).toBe(false);
  });

  test.each<[string, string, boolean]>([
    ['the whole of it', 'She lives in Bath.', true],
    ['all but a letter', 'She lives in Bat', true],
    ['the beginning of it, between two words', 'She  LIVES in ', true],
    ['too little to mean anything', 'She live', false],
    ['what went on otherwise', 'She lives in Bristol', false],
    ['its end alone', 'in Bath', false],
    ['the beginning twice over', 'She lives lives in', true],
  ])('[SYS-6] while it is being written: %s', (_name, text, held) => {
    expect(mayHoldAny(text, ['tea', 'Lives in Bath'])).toBe(held);
  });
});

describe('[SYS-6] [PRV-11] how long what was read in a chain is held back', () => {
  type Invocation = ReturnType<ChainSpeech['invocations']>[number];
  const over = (state: Invocation['state']): Invocation => ({ open: false, state });
  const ended = (['completed', 'failed', 'denied', 'cancelled'] as const).map(over);
  test.each<[string, boolean, number, Invocation[]]>([
    ['nothing was ever started by an event', true, 0, []],
    ['all of it has ended', true, 0, ended],
    ['a task is open', false, 1, ended],
    ['one waits for approval', false, 0, [...ended, { open: true, state: 'awaiting_approval' }]],
    ['one waits for its turn', false, 0, [{ open: true, state: 'queued' }]],
    ['one runs', false, 0, [{ open: true, state: 'running' }]],
    ['one is tried again later', false, 0, [{ open: true, state: 'waiting_retry' }]],
    ['nobody approved in time, and may yet be asked again', false, 0, [...ended, over('expired')]],
  ])('%s', (_, expected, openTasks, invocations) => expect(saysNoMore({ openTasks, invocations: () => invocations })).toBe(expected));

  test('while a task is open nobody asks for the rest', () => {
    expect(saysNoMore({ openTasks: 2, invocations: () => expect.unreachable('asked') })).toBe(false);
  });
});
