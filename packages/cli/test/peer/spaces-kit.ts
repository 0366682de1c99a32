// What people do in a shared space.

import type { PeerCalls } from '@parley/protocol';
import { commands } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';

export const write = (person: Person, id: string, fields: Record<string, string>, words: 'own' | 'agent' = 'own') =>
  commands(person).writeSpace({ id, writes: Object.entries(fields).map(([field, value]) => ({ field, value })), words });
type Space = PeerCalls['space']['out'];
export const valuesIn = ({ fields }: Space): Record<string, unknown> =>
  Object.fromEntries(fields.toSorted((a, b) => (a.field < b.field ? -1 : 1)).map(({ field, value }) => [field, value]));
export const space = (person: Person, id: string): Promise<Space> => commands(person).space({ id });

/** Written without a line: nothing leaves. */
export const offline = (person: Person, id: string, fields: Record<string, string>) =>
  person.negotiations.spaces.write(
    id,
    Object.entries(fields).map(([field, value]) => ({ field, value, words: 'own' as const })),
  );
