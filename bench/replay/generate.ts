// Makes the synthetic archive, the same byte for byte from the same seed. `node bench/replay/generate.ts` prints it. A team of
// twelve and its build server, eight agents, six channels and some direct messages, over as many working days as it takes.

import { Random } from '../../packages/testkit/src/trials.ts';
import { type Archive, type Conversation, type Event, isMessage, write } from './archive.ts';
import { Scene } from './scene.ts';
import { type Kind, kinds } from './scenes.ts';

export const seed = 20_260_624;
/** At least so many messages. */
const size = 12_000;

const people = ['ann', 'bob', 'carol', 'dan', 'eve', 'femi', 'gita', 'hugo', 'ines', 'jun', 'kofi', 'lena'];
const server = 'ci';
const agents = ['ORAC', 'STEF', 'analyst', 'deploy-bot', 'scribe', 'triage', 'linguist', 'archivist'];
const roles = { oncall: ['triage', 'deploy-bot', 'STEF'], docs: ['scribe', 'archivist'] };

const channel = (conversation: string, floor: 'polite' | 'open', ...there: string[]): Conversation => ({
  conversation,
  kind: 'channel',
  floor,
  members: [...people, server, ...there],
});
const dm = (...members: string[]): Conversation => ({ conversation: members.join('+'), kind: 'dm', floor: 'polite', members });
const conversations: Conversation[] = [
  channel('general', 'polite', 'ORAC', 'STEF', 'scribe', 'linguist'),
  channel('releases', 'polite', 'deploy-bot', 'ORAC', 'scribe'),
  channel('incidents', 'polite', 'triage', 'deploy-bot', 'STEF', 'ORAC'),
  channel('data', 'polite', 'analyst', 'STEF', 'archivist'),
  channel('support', 'polite', 'triage', 'linguist', 'scribe', 'ORAC'),
  channel('ideas', 'open', ...agents),
  ...people.map((person, i) => dm(person, agents[i % agents.length]!)),
  dm('ann', 'bob', 'ORAC'),
  dm('gita', 'hugo', 'analyst'),
];

const second = 1000;
const hour = 3600 * second;
/** So long is one in a scene, and after it, so that nobody does two things at once. */
const pause = 45 * second;

const isAgent = (name: string): boolean => agents.includes(name);
const fits = ({ where }: Kind, { kind, floor, members }: Conversation): boolean =>
  where === 'channel' || where === 'open'
    ? kind === 'channel' && floor === (where === 'open' ? 'open' : 'polite')
    : kind === 'dm' && members.length === (where === 'dm' ? 2 : 3);

export function generate(from: number, atLeast: number): Archive {
  const random = new Random(from);
  const events: Event[] = [];
  const busy = new Map<string, number>();
  const leavers = new Map<string, Set<string>>(conversations.map(({ conversation }) => [conversation, new Set()]));
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const anyKind = (): Kind => {
    let n = random.next() * total;
    return kinds.find(({ weight }) => (n -= weight) < 0) ?? kinds[0]!;
  };
  const shuffled = <T>(items: readonly T[]): T[] => {
    const rest = [...items];
    return items.map(() => rest.splice(random.int(rest.length), 1)[0]!);
  };
  let ids = 0;
  let messages = 0;
  for (let now = 0; messages < atLeast; now += Math.round(random.next() * 100 * second)) {
    // Nine hours, and then it is the next morning.
    if (now % (24 * hour) > 9 * hour) now = (Math.floor(now / (24 * hour)) + 1) * 24 * hour;
    const free = (who: string): boolean => (busy.get(who) ?? 0) <= now;
    const kind = anyKind();
    const place = random.pick(conversations.filter((one) => fits(kind, one)));
    const gone = leavers.get(place.conversation)!;
    const talks = (agent: string): string => `${place.conversation} ${agent}`;
    const there = place.members.filter(isAgent).filter((agent) => !gone.has(agent));
    const idle = shuffled(there.filter((agent) => free(talks(agent))));
    // An agent that was asked to leave is back when its name is called.
    if (gone.size > 0 && random.next() < 0.2) idle.unshift(...shuffled([...gone]).filter((agent) => free(talks(agent))));
    const folk = shuffled(place.members.filter((name) => !isAgent(name) && name !== server && free(name)));
    const wanted = 1 + (kind.people ?? (place.members.length === 3 ? 1 : 0));
    if (folk.length < wanted || idle.length < (kind.agents === 'all' ? there.length : (kind.agents ?? 0))) continue;
    const telling = kind.people === undefined && kind.agents === undefined && random.next() < 0.7;
    const company = {
      place,
      who: telling ? server : folk[0]!,
      others: folk.slice(1, wanted),
      agents: idle,
      present: there,
      holders: Object.fromEntries(
        Object.entries(roles)
          .map(([role, held]) => [role, held.filter((agent) => there.includes(agent))] as const)
          .filter(([, held]) => held.length > 0),
      ),
    };
    const scene = new Scene(company, random, now, () => `m${++ids}`);
    kind.play(scene);
    const until = scene.now + pause;
    for (const name of [company.who, ...company.others]) if (name !== server) busy.set(name, until);
    for (const event of scene.events) if (isMessage(event) && isAgent(event.by)) busy.set(talks(event.by), until);
    for (const agent of calledIn(scene)) gone.delete(agent);
    for (const agent of scene.left) gone.add(agent);
    events.push(...scene.events);
    messages += scene.events.filter(isMessage).length;
  }
  return {
    members: [...people, server, ...agents].map((member) => ({ member, kind: isAgent(member) ? 'agent' : 'human' })),
    roles: Object.entries(roles).map(([role, holders]) => ({ role, holders })),
    conversations,
    events: events.toSorted((a, b) => a.at - b.at),
  };
}

/** By name. */
const calledIn = ({ events }: Scene): string[] =>
  agents.filter((agent) => events.some((event) => 'text' in event && event.text.includes(`^${agent}`)));

/** The bench replays it, unless it is given another archive. */
export const ownArchive = (): Archive => generate(seed, size);

if (import.meta.main) process.stdout.write(write(ownArchive()));
