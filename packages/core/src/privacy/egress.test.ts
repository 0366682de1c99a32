import { describe, expect, test } from 'vitest';
import { type Hearers, egress, holdsAny, mayHoldAny, type Recipient, type ChainSpeech, saysNoMore } from './egress.ts';
import { hasPrivateNotes, notesFor, valuesIn } from './notes.ts';

const ann: Recipient = { id: 'ann', kind: 'human', ownerId: null };
const bob: Recipient = { id: 'bob', kind: 'human', ownerId: null };
const hers: Recipient = { id: 'hers', kind: 'agent', ownerId: 'ann' };
const his: Recipient = { id: 'his', kind: 'agent', ownerId: 'bob' };
const among = (...recipients: Recipient[]): Hearers => ({ recipients, anyone: false });

describe('[SYS-6] what leaves, and to whom', () => {
  test.each<[string, string, Hearers, boolean]>([
    ['her memory to herself', 'memory', among(ann), true],
    ['to herself and an agent of hers', 'memory', among(ann, hers), true],
    ['between agents of hers', 'memory', among(hers), true],
    ['where somebody else hears it', 'memory', among(ann, bob), false],
    ['to an agent of somebody else', 'memory', among(hers, his), false],
    ['where anyone may look', 'memory', { recipients: [ann], anyone: true }, false],
    ['what is connected is as private', 'calendar.next', among(ann, bob), false],
    ['a field of her profile that nobody sees', 'profile.phone', among(bob), false],
    ['her handle to anybody', 'profile.handle', among(bob, his), true],
    ['her name where anyone may look', 'profile.displayName', { recipients: [bob], anyone: true }, true],
    ['what she says about herself', 'profile.about', among(bob), true],
  ])('%s', (_name, field, audience, ok) => {
    const tagged = { field, ownerId: 'ann' };
    expect(egress([tagged], audience)).toEqual(ok ? { ok: true } : { ok: false, withheld: [tagged] });
  });

  test('one that may not leave holds back the whole, and only it is named', () => {
    const fields = [
      { field: 'profile.handle', ownerId: 'ann' },
      { field: 'memory', ownerId: 'bob' },
      { field: 'memory', ownerId: 'ann' },
    ];
    expect(egress(fields, among(ann))).toEqual({ ok: false, withheld: [fields[1]] });
    expect(egress([], among(ann, bob))).toEqual({ ok: true });
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
