// Compares the turns of agents: when every agent in the room takes one on every message, when each that is mentioned does,
// and as the hub decided. And the messages that each of them missed, where the archive says what its authors wanted.

import { addressesIn, type Directory, directoryOf } from '../../packages/core/src/index.ts';
import { type Archive, type Conversation, isMessage, type Message } from './archive.ts';
import type { Played } from './play.ts';

export interface Counted {
  turns: number;
  /** On messages that the list says this agent must not answer. */
  mustNot: number;
  /** On messages whose author wanted nothing of this agent. */
  unwanted: number;
  /** Requests that no agent they were for took a turn on. */
  missed: string[];
  /** Messages that were meant for an agent, as a request or a piece of one, and are in no turn of it. */
  unheard: number;
}
export interface Comparison {
  messages: number;
  requests: number;
  everyone: Counted;
  mention: Counted;
  host: Counted;
}

interface Room extends Conversation {
  known: Directory;
  agents: string[];
  roles: Archive['roles'];
}

/** One turn, on these messages. */
interface Turn {
  agent: string;
  messages: string[];
}

export function compare(archive: Archive, played: Played): Comparison {
  const rooms = roomsOf(archive);
  const messages = archive.events.filter(isMessage);
  const each = (agents: (message: Message, room: Room) => string[]): Turn[] =>
    messages.flatMap((message) =>
      agents(message, rooms.get(message.in)!)
        .filter((agent) => agent !== message.by)
        .map((agent) => ({ agent, messages: [message.id] })),
    );
  const wanted = wantedIn(archive);
  const forbidden = ({ agent, messages: about }: Turn): boolean => about.some((id) => played.policy(id, agent) === 'must_not_respond');
  const count = (turns: readonly Turn[], mustNot = turns.filter(forbidden).length): Counted => ({
    turns: turns.length,
    mustNot,
    unwanted: turns.filter(({ agent, messages: about }) => !about.some((id) => wanted.by(id).includes(agent))).length,
    ...missedBy(turns, wanted.requests),
  });
  // A piece of what anyone may take is nobody's yet when it is said.
  const ofHost = played.turns.filter((turn) => forbidden(turn.anyones ? { ...turn, messages: turn.messages.slice(0, 1) } : turn)).length;
  return {
    messages: messages.length,
    requests: wanted.requests.length,
    everyone: count(each((_, { agents }) => agents)),
    mention: count(each(mentioned)),
    host: count(played.turns, ofHost),
  };
}

function roomsOf({ members, roles, conversations }: Archive): Map<string, Room> {
  const kinds = new Map(members.map(({ member, kind }) => [member, kind]));
  return new Map(
    conversations.map((conversation) => {
      const present = conversation.members.map((handle) => ({
        handle,
        kind: kinds.get(handle)!,
        roles: roles.filter(({ holders }) => holders.includes(handle)).map(({ role }) => role),
      }));
      const agents = conversation.members.filter((handle) => kinds.get(handle) === 'agent');
      return [conversation.conversation, { ...conversation, known: directoryOf(present), agents, roles }] as const;
    }),
  );
}

/** As bots are mostly set up: its name, what includes it, and whatever a person writes to it directly. */
function mentioned({ text, by }: Message, { kind, known, agents, roles }: Room): string[] {
  if (kind === 'dm' && !agents.includes(by)) return agents;
  const holders = (handle: string): readonly string[] => roles.find(({ role }) => same(role, handle))?.holders ?? [];
  const called = addressesIn(text, known).flatMap((address) => {
    switch (address.kind) {
      case 'all_agents':
      case 'any_agent':
        return agents;
      case 'role':
        return agents.filter((agent) => holders(address.handle).includes(agent));
      default:
        return agents.filter((agent) => same(agent, address.handle));
    }
  });
  return [...new Set(called)];
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

interface Request {
  id: string;
  /** Any of these messages will do. */
  pieces: string[];
  agents: string[];
}

/** A request to several agents is one to each; one to any of them is one. */
function wantedIn({ events }: Archive): { requests: Request[]; by(id: string): readonly string[] } {
  const wants = new Map<string, Set<string>>();
  const requests = new Map<string, Request>();
  for (const event of events) {
    if ('delete' in event) continue;
    const id = isMessage(event) ? event.id : event.edit;
    const agents = event.wants ?? [];
    wants.set(id, new Set([...(wants.get(id) ?? []), ...agents]));
    const began = (isMessage(event) && event.part) || id;
    const units = isMessage(event) && event.any ? [agents] : agents.map((agent) => [agent]);
    for (const unit of units) {
      const key = `${began} ${unit.join(' ')}`;
      const request = requests.get(key) ?? { id: began, pieces: [], agents: unit };
      requests.set(key, { ...request, pieces: [...request.pieces, id] });
    }
  }
  return { requests: [...requests.values()], by: (id) => [...(wants.get(id) ?? [])] };
}

function missedBy(turns: readonly Turn[], requests: readonly Request[]): Pick<Counted, 'missed' | 'unheard'> {
  const reached = new Set(turns.flatMap(({ agent, messages }) => messages.map((id) => `${id} ${agent}`)));
  const isHeard = (id: string, agents: readonly string[]): boolean => agents.some((agent) => reached.has(`${id} ${agent}`));
  return {
    missed: requests
      .filter(({ pieces, agents }) => !pieces.some((id) => isHeard(id, agents)))
      .map(({ id, agents }) => `${id} ${agents.join('|')}`),
    unheard: requests.flatMap(({ pieces, agents }) => [...new Set(pieces)].filter((id) => !isHeard(id, agents))).length,
  };
}
