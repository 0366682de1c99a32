// What people do in a shared space.

import type { SpaceView } from '@parley/peer';
import { commands } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';

export const write = (person: Person, id: string, fields: Record<string, string>, words: 'own' | 'agent' = 'own') =>
  commands(person).writeSpace({ id, writes: Object.entries(fields).map(([field, value]) => ({ field, value, words })) });
export const valuesIn = ({ fields }: SpaceView): Record<string, unknown> =>
  Object.fromEntries(fields.toSorted((a, b) => (a.field < b.field ? -1 : 1)).map(({ field, value }) => [field, value]));
export const space = async (person: Person, id: string): Promise<SpaceView> =>
  (await commands(person).spaces()).find((one) => one.id === id)!;

/** Written without a line: nothing leaves. */
export const offline = (person: Person, id: string, fields: Record<string, string>) =>
  person.negotiations.spaces.write(
    id,
    Object.entries(fields).map(([field, value]) => ({ field, value, words: 'own' as const })),
  );
