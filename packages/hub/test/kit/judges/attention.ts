// What must hold of attention, said again from scratch: who was asked to leave and what it may still say, and what
// somebody waits for and who may say that it is settled. It reads facts and the rows they name, as the rest of the judge.

import type { Rows } from '@parley/hub';

type Fact = Rows['facts'];

/** So long after it was asked to leave an agent may say so, once. */
const goodbyeMs = 60_000;
/** Of the latest of these somebody may think again. */
const remembered = 200;

interface Away {
  at: number;
  /** Who asked. */
  by: string | null;
  /** Its one word about it was said. */
  parted: boolean;
}

export interface ModelObligation {
  id: string;
  message: string;
  /** Who may settle it. */
  entitled: (string | null)[];
  reciprocalOf: string | null;
  open: boolean;
}

export class AttentionModel {
  readonly obligations = new Map<string, ModelObligation>();
  /** Some of them, and some of what waits for people. */
  readonly someObligations: string[] = [];
  readonly checkpoints: { id: string; member: string }[] = [];
  goodbyes = 0;
  /** Conversation → agent. */
  private readonly left = new Map<string, Map<string, Away>>();
  /** Checkpoint → whose. */
  private readonly closed = new Map<string, string>();
  private readonly wrong: (what: string) => void;

  constructor(wrong: (what: string) => void) {
    this.wrong = wrong;
  }

  /** Where it was asked to leave. */
  leftBy(agent: string): string[] {
    return [...this.left].filter(([, agents]) => agents.has(agent)).map(([id]) => id);
  }

  leaves(fact: Fact, conversation: string): void {
    let agents = this.left.get(conversation);
    if (!agents) this.left.set(conversation, (agents = new Map<string, Away>()));
    if (agents.has(fact.member_id!)) this.wrong(`${fact.member_id} left ${conversation} at ${fact.seq}, and had left before`);
    agents.set(fact.member_id!, { at: fact.at, by: fact.actor_id, parted: false });
  }

  returns(fact: Fact, conversation: string): void {
    if (!this.forget(conversation, fact.member_id!))
      this.wrong(`${fact.member_id} came back to ${conversation} at ${fact.seq}, and had not left`);
  }

  private forget(conversation: string, agent: string): boolean {
    const agents = this.left.get(conversation);
    const was = agents?.delete(agent) === true;
    if (agents?.size === 0) this.left.delete(conversation);
    return was;
  }

  /** Taken out of a room: brought in again, it begins again. */
  removed(agent: string, isThere: (conversation: string) => boolean): void {
    for (const conversation of this.leftBy(agent)) if (isThere(conversation)) this.forget(conversation, agent);
  }

  /** In threads it finishes the tasks of those who did not ask it to leave, also where they asked it to leave the thread. */
  speaks(what: string, agent: string, place: string, home: string, requester: string | null | undefined): void {
    const left = [place, home].flatMap((id) => this.left.get(id)?.get(agent) ?? []);
    if (left.length > 0 && (place === home || left.some(({ by }) => by === requester)))
      this.wrong(`${what} was said where its author was asked to leave`);
  }

  parts(what: string, fact: Fact, conversation: string): void {
    this.goodbyes++;
    const away = this.left.get(conversation)?.get(fact.actor_id!);
    if (!away) return this.wrong(`${what} is a goodbye, and nobody had asked it to leave`);
    if (away.parted) this.wrong(`${what} is a second goodbye`);
    if (fact.at > away.at + goodbyeMs) this.wrong(`${what} is a goodbye that comes too late`);
    away.parted = true;
  }

  /** What happens to something that somebody waits for. */
  obligation(fact: Fact, opened: ReadonlyMap<string, Rows['obligations']>): void {
    const id = fact.subject_id!;
    // Tells those concerned that something did; what did is a fact of its own.
    if (fact.type === 'obligation.changed') return;
    if (fact.type === 'obligation.opened') return this.opens(fact, opened.get(id));
    const known = this.obligations.get(id);
    if (!known) return this.wrong(`${fact.type} of ${id}, which nobody had declared`);
    if (!known.open) this.wrong(`${fact.type} at ${fact.seq} of ${id}, which was settled`);
    if (fact.type === 'obligation.discharged') known.open = false;
  }

  private opens(fact: Fact, row: Rows['obligations'] | undefined): void {
    if (!row) return this.wrong(`obligation.opened at ${fact.seq} without an obligation`);
    const { id, reciprocal_of: reciprocalOf } = row;
    if (this.obligations.has(id)) this.wrong(`${id} was declared twice`);
    if (row.created_at !== fact.at) this.wrong(`${id} was declared at ${fact.at} and counts from ${row.created_at}`);
    // Who settles what was asked first settles what was asked back for it.
    const above = reciprocalOf === null ? [] : (this.obligations.get(reciprocalOf)?.entitled ?? []);
    const entitled = [row.author_id, row.delegate_id, ...above];
    this.obligations.set(id, { id, message: row.message_id, entitled, reciprocalOf, open: true });
    this.someObligations.push(id);
    if (this.someObligations.length > remembered) this.someObligations.splice(0, remembered / 2);
  }

  checkpoint(fact: Fact): void {
    const id = fact.subject_id!;
    const whose = this.closed.get(id);
    // Another person answers for the agent now: it is closed for one, and opened for the other.
    const isHandedOver = fact.type === 'checkpoint.opened' && whose !== fact.member_id;
    if (whose !== undefined && !isHandedOver) this.wrong(`${fact.type} at ${fact.seq} of ${id}, which was answered`);
    this.closed.delete(id);
    if (fact.type === 'checkpoint.closed') this.closed.set(id, fact.member_id!);
    else this.checkpoints.push({ id, member: fact.member_id! });
    if (this.checkpoints.length > remembered) this.checkpoints.splice(0, remembered / 2);
  }

  /** Said with a command, as it is in no fact: who settled it. */
  settledBy(id: string, member: string): void {
    if (!this.obligations.get(id)?.entitled.includes(member)) this.wrong(`${member} settled ${id}, which is not theirs to settle`);
  }

  compare(row: Rows['obligations'], isDeleted: (message: string) => boolean): void {
    const known = this.obligations.get(row.id);
    if (!known) return this.wrong(`${row.id} has no facts`);
    if ((row.open === 1) !== known.open) this.wrong(`${row.id} is kept as ${row.open ? 'open' : 'settled'}, its facts say otherwise`);
    if (row.open === 1) return;
    const by = row.discharged_by;
    if (by === null ? !isDeleted(row.message_id) : !known.entitled.includes(by)) this.wrong(`${row.id} was settled by ${by}`);
  }
}
