// Four people at one relay, who know each other's cards.

import { commands, exchangeAll } from './negotiation-kit.ts';
import { exchangeCards, newPerson, type Person } from './people-kit.ts';
import { startRelay, type TestRelay } from './relay-kit.ts';

export const newGroup = async (...names: string[]): Promise<Person[]> => newGroupAt(await startRelay(), ...names);

export async function newGroupAt(relay: TestRelay, ...names: string[]): Promise<Person[]> {
  const people: Person[] = [];
  for (const name of names) people.push(await newPerson(relay, name));
  const [coordinator, ...members] = people as [Person, ...Person[]];
  for (const member of members) await exchangeCards(coordinator, member);
  for (const person of people) await commands(person).setTier({ field: 'time_windows', tier: 'always_share' });
  return people;
}

/** So that they can compare an outcome (A2C-27). */
export async function acquaint(...members: Person[]): Promise<void> {
  for (const [place, one] of members.entries()) for (const other of members.slice(place + 1)) await exchangeCards(one, other);
}

export type GroupRequest = Omit<Parameters<ReturnType<typeof commands>['negotiateGroup']>[0], 'addresses' | 'intent'>;

/** Up to the proposal that everybody has. */
export async function untilGroupProposal([coordinator, ...members]: Person[], request: GroupRequest = {}): Promise<string> {
  const addresses = members.map(({ address }) => address);
  const { id } = await commands(coordinator!).negotiateGroup({ addresses, intent: 'Game night on Friday', ...request });
  await exchangeAll(coordinator!, ...members);
  return id;
}

export const confirm = (person: Person, id: string): Promise<unknown> => commands(person).confirm({ id, answer: { kind: 'confirm' } });
