import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Listener, MessageFacts, Verdict } from './attend.ts';
import { preview, type PreviewRoom } from './wake-preview.ts';
import type { DirectoryEntry } from '../address/address.ts';

interface Case {
  title: string;
  in: Pick<MessageFacts, 'urgent' | 'notification' | 'path' | 'final'> & {
    conversation: Omit<PreviewRoom, 'members'> & {
      members: (DirectoryEntry & Pick<Listener, 'left' | 'blocks' | 'continuing' | 'inThread' | 'assigned'>)[];
    };
    author: string;
    content: string;
    attachments?: number;
  };
  out: { verdicts: Record<string, Verdict> };
}
/** The same file that `parley decide` and implementations in other languages are held against. */
const cases = JSON.parse(readFileSync(new URL('../../../../spec/vectors/decide.json', import.meta.url), 'utf8')) as Case[];

test.each(cases)(
  '[SYS-3] the preview wakes the same agents: $title',
  ({ in: { conversation, author, content, attachments = 0, path, ...about }, out }) => {
    const { verdicts } = preview(conversation, author, content, {
      attachments,
      standing: (handle) => {
        const {
          left = false,
          blocks = false,
          assigned = false,
          continuing,
          inThread,
        } = conversation.members.find((member) => member.handle === handle)!;
        return { left, blocks, assigned, continuing, inThread };
      },
      about: { ...about, ...(path ? { path: path.map((handle) => handle.toLowerCase()) } : {}) },
    });
    expect(Object.fromEntries(verdicts)).toEqual(out.verdicts);
  },
);

const members: DirectoryEntry[] = [
  { handle: 'ORAC', kind: 'agent' },
  { handle: 'STEF', kind: 'agent', roles: ['oncall'] },
  { handle: 'stefan', kind: 'human' },
];
const room: PreviewRoom = { kind: 'channel', floor: 'polite', members };

describe('doubts about addresses, for the composer', () => {
  test('[SYS-3] where each address stands, to highlight it', () => {
    expect(preview(room, 'ann', 'hi ^orac & @oncall').addresses).toEqual([
      { kind: 'agent', handle: 'ORAC', start: 3, end: 8 },
      { kind: 'role', handle: 'oncall', start: 11, end: 18 },
    ]);
  });

  test.each<[string, string | undefined]>([
    ['^ORCA', 'ORAC'],
    ['@stefann', 'stefan'],
    // After ^ a person cannot have been meant, however near: it is not offered.
    ['^stefan', 'STEF'],
    ['^steff', 'STEF'],
    ['@nobody', undefined],
  ])('[PAP-18] of %s, which nobody has, that %s is near', (text, nearest) => {
    expect(preview(room, 'ann', `${text} hi`).unknown).toEqual([{ handle: text.slice(1), start: 0, end: text.length, nearest }]);
  });

  test('[PAP-2] three handles are three tasks, one handle twice is one', () => {
    const woken = (text: string) => [...preview(room, 'ann', text).verdicts.values()].filter(({ task }) => task).length;
    expect(woken('^ORAC ^STEF look')).toBe(2);
    expect(woken('^ORAC ^ORAC ^orac look')).toBe(1);
    expect(woken('look')).toBe(0);
  });

  test('[SYS-3] an author with an agent’s name, in any case, is that agent', () => {
    expect(preview(room, 'orac', '^ALL go').verdicts.get('ORAC')?.reason).toBe('own_message');
    expect(preview({ ...room, kind: 'dm', members: members.slice(0, 2) }, 'STEF', 'hi').verdicts.get('ORAC')?.task).toBe(false);
  });

  test('[SYS-3] a text of any length is answered', () => {
    const { addresses, verdicts } = preview(room, 'ann', '^ORAC '.repeat(20_000));
    expect(addresses.length).toBe(1_000);
    expect(verdicts.get('ORAC')?.task).toBe(true);
  });
});
