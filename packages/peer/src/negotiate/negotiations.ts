// A peer's negotiations. Each packet is decided and stored in one commit; the brain and the executor work after it, in the peer's turn,
// and a restart repeats what they had not finished (A2C-34).

import { dayProblem } from '@parley/core';
import { isCoordinatorAgain, nextGroupTick } from '@parley/core/group';
import { nextTick, openNegotiation } from '@parley/core/negotiation';
import { type FreeFields, type Need, type Packet, packetTypeOf, type TypedPacket } from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import type { NameOf } from '../actions/agreed-texts.ts';
import type { ActionHandlers } from '../actions/port.ts';
import type { Channels, CallTool } from '../actions/handlers.ts';
import type { PacketArrival } from '../packets/arriving-packets.ts';
import type { LocalPeer } from '../packets/local-peer.ts';
import { getValue, negotiationKey, type RemotePeer } from '../packets/peer-records.ts';
import { Staging } from '../packets/staging.ts';
import type { SpaceRecord } from '../spaces/space-records.ts';
import { Spaces } from '../spaces/spaces.ts';
import type { PeerStore } from '../store/port.ts';
import type { PeerBrain } from './peer-brain.ts';
import { offerTimes } from '../outside/offers.ts';
import { outsideName, outsidePeer } from '../outside/outside-people.ts';
import { learnFromPacket } from '../memory/learning.ts';
import { applyInput, takeOtherOutcome } from './decisions.ts';
import { type Desk, withNote } from './effects.ts';
import { evaluate } from './evaluation.ts';
import { evaluateGroup } from './groups/group-evaluation.ts';
import { adoptFork } from './forks/fork-records.ts';
import { isShown, linesOf } from './groups/group-lines.ts';
import { followed, isProven, takeTransfer } from './groups/group-transfer.ts';
import { runJob } from './execution.ts';
import { audienceField, meetingWords, readIntentWords } from './meetings/intent-words.ts';
import { day, dayOf, type LocalZone, utc } from './meetings/local-time.ts';
import { NegotiationIndex } from './negotiation-index.ts';
import { type GroupOptions, type OpeningOptions, openGroupWith, openWith } from './first-requests.ts';
import type { PersonalCalendar } from './personal-calendar.ts';
import { hasRoom, refuseForRoom } from './unanswered.ts';
import { keyOf, type MachineRecord, newMachine, profileIn, type ProfileRecord, putMachine } from './negotiation-records.ts';
import { RunningActions, Thoughts } from './background-work.ts';
import { mostDays } from './limits.ts';

export interface NegotiationParts {
  calendar: PersonalCalendar;
  /** Actions of the host, such as `post_outcome`. */
  actions?: ActionHandlers;
  /** Proposals list them, as they do those that the person configured. */
  offersActions?: boolean;
  /** Tools of the host; without it an action cannot call one. */
  callTool?: CallTool;
  /** Channels of the host; without it an action cannot post. */
  channels?: Channels;
  /** Reaches webhooks. A host hands in its own, so that a member cannot call what only the host can reach. */
  fetch?: typeof fetch;
  /** A process that ends after one command waits for its actions. */
  actsInTurn?: boolean;
  /** Absent: people are called as their addresses call them. */
  nameOf?: NameOf;
  brain: PeerBrain;
  /** The brain of a person who chose a model; it thinks beside the peer's turn. Absent or undefined: `brain` negotiates. */
  modelBrain?: (profile: ProfileRecord) => PeerBrain | undefined;
  random: () => number;
  /** The zone of the machine, for a profile without one. */
  zone: string;
  /** Something happened that the person may want to see. */
  onSpaceChange?: (record: SpaceRecord) => void;
  onChange?: (record: MachineRecord) => void;
  onFailure?: (error: Error) => void;
}

/** So that a defect cannot keep the peer busy for ever. */
const mostSteps = 20;

export class Negotiations {
  readonly peer: LocalPeer;
  readonly parts: NegotiationParts;
  readonly thoughts = new Thoughts((key) => this.workInTurn(key));
  readonly actions = new RunningActions();
  readonly spaces: Spaces;
  readonly index: NegotiationIndex;

  constructor(peer: LocalPeer, parts: NegotiationParts) {
    this.peer = peer;
    this.parts = parts;
    this.spaces = new Spaces(
      peer,
      () => this.profile(),
      (record) => parts.onSpaceChange?.(record),
    );
    this.index = new NegotiationIndex(peer.parts.store);
    peer.onPacket = (staging, arrival) => this.#take(staging, arrival);
  }

  get now(): number {
    return this.peer.parts.now();
  }

  get store(): PeerStore {
    return this.peer.parts.store;
  }

  get offeredActions(): ActionHandlers {
    const { actions = {}, offersActions } = this.parts;
    return offersActions ? actions : {};
  }

  profile(): Promise<ProfileRecord> {
    return profileIn(this.store);
  }

  /** The person's zone, with its offsets from yesterday on. */
  async zoneOf({ fields }: ProfileRecord): Promise<LocalZone> {
    const { now, parts } = this;
    const span = { from: now - day, to: now + (mostDays + 1) * day };
    const named = fields['timezone'];
    for (const name of [typeof named === 'string' ? named : parts.zone, parts.zone, 'UTC']) {
      const offsets = await parts.calendar.offsets(name, span);
      if (offsets) return { name, offsets };
    }
    return utc;
  }

  async mustKnowZone(name: unknown): Promise<void> {
    const span = { from: this.now, to: this.now + day };
    if (typeof name === 'string' && (await this.parts.calendar.offsets(name, span))) return;
    throw badInput(`timezone: ${JSON.stringify(name)} is no time zone that this machine knows. Use a name such as Europe/Berlin.`);
  }

  /** Where inputs of a negotiation are decided. */
  async desk(address: string, staging = new Staging(this.store)): Promise<Desk> {
    return this.#deskWith(staging, outsideName(address) === undefined ? await this.peer.peer(address) : outsidePeer(address));
  }

  #deskWith(staging: Staging, peer: RemotePeer): Desk {
    return { staging, self: this.peer.self, peer, now: this.now, find: (threadId) => this.index.find(threadId) };
  }

  /**
   * What the person decided about a negotiation, named by its ID or that of a prompt: decided and stored in one turn. Returns the
   * negotiation once nothing of it is left to do now. `act` returns others that go on after it.
   */
  async decide(
    id: string,
    act: (record: MachineRecord, desk: Desk) => Promise<MachineRecord[] | void>,
    isAsking?: (record: MachineRecord) => boolean,
  ): Promise<MachineRecord> {
    const key = await this.peer.inTurn(async () => {
      this.peer.mustHoldLine();
      const record = await this.find(id, isAsking);
      const desk = await this.desk(record.machine.peer);
      const others = (await act(record, desk)) ?? [];
      await this.commit(desk);
      for (const one of [record, ...others]) this.workSoon(keyOf(one));
      return keyOf(record);
    });
    return this.settled(key);
  }

  async commit({ staging }: Desk): Promise<void> {
    await this.store.commit(staging.changes);
  }

  async #take(staging: Staging, { peer, packet }: PacketArrival): Promise<void> {
    const typed = { as: packetTypeOf(packet), packet } as TypedPacket;
    if (typed.as === 'thread_summary') return;
    if (typed.as === 'space_update') {
      await this.spaces.take(staging, peer, typed.packet);
      return;
    }
    const key = negotiationKey(packet.from, packet.thread_id);
    const desk = this.#deskWith(staging, peer);
    const stored = await getValue(staging, 'machine', key);
    if (typed.as === 'coordinator_transfer') return stored && takeTransfer(this, desk, stored, typed.packet);
    // By a negotiation with somebody else: people and hubs name a negotiation by its ID alone. A group's coordinator may have changed.
    const current = stored && !isCoordinatorAgain(stored.machine, packet) ? stored : undefined;
    let other = current ? undefined : (stored ?? (await this.index.find(packet.thread_id)));
    if (other && packet.intent && isUnopened(other)) {
      await staging.commit([{ remove: 'machine', key: negotiationKey(other.machine.peer, packet.thread_id) }]);
      await this.index.replace(packet.thread_id, []);
      other = undefined;
    }
    if (other?.machine.group && !stored && typed.as === 'resolution_outcome') return takeOtherOutcome(this, desk, other, typed.packet);
    const isFork = packet.parent_thread_id !== undefined && typed.as !== 'thread_fork';
    const found = current ?? (other && (await followed(this, desk, other, packet)));
    if (other && !found) return;
    if (!(await hasRoom(this, typed, found))) return found ? undefined : refuseForRoom(desk, packet);
    const known = found ?? (isFork ? await this.#adopt(desk, packet) : undefined);
    // Its parent is unknown here, or takes no more forks.
    if (!known && isFork) return;
    // A packet without an intent opens no negotiation: it is only shown.
    if (!known && typed.as === 'context' && !packet.intent) return;
    if (!known && !(await isProven(desk, packet))) return;
    const opening = { threadId: packet.thread_id, own: this.peer.address, peer: packet.from, role: 'responder' } as const;
    const before = known ?? newMachine(openNegotiation(opening, this.now));
    if (!known) await this.index.add(before);
    const { record: decided, verdict } = await applyInput(desk, before, { kind: 'packet', packet: typed });
    const changed = verdict === 'accepted' ? await learnFromPacket(staging, peer, before, packet, this.now) : [];
    const record = changed.reduce(
      (noted, { field, before: old, value }) =>
        withNote(noted, { at: this.now, notice: 'memory_changed', details: { field, before: old, value } }),
      decided,
    );
    if (changed.length > 0) await staging.commit([putMachine(record)]);
    // Both people wanted something different at once: the initiator proposes.
    const { role, state } = record.machine;
    if (before.awaitsProposal && !record.awaitsProposal && role === 'initiator' && state === 'NEGOTIATING')
      await staging.commit([putMachine({ ...record, isEvaluationDue: true })]);
    this.workSoon(key);
    await this.noteForks(staging, before, record);
    if (record.lead !== undefined) this.workSoon(negotiationKey(record.lead, packet.thread_id));
  }

  /** A packet of a fork may come before the one that split it off. */
  async #adopt(desk: Desk, packet: Packet): Promise<MachineRecord | undefined> {
    const parent = await getValue(desk.staging, 'machine', negotiationKey(packet.from, packet.parent_thread_id!));
    const child = parent && (await adoptFork(desk, parent, packet));
    if (child) await this.index.add(child);
    return child;
  }

  /** Those that a step has just split off. */
  async noteForks(store: PeerStore, before: MachineRecord, { machine }: MachineRecord): Promise<void> {
    for (const threadId of (machine.forks ?? []).filter((id) => !before.machine.forks?.includes(id))) {
      const key = negotiationKey(machine.peer, threadId);
      const child = await getValue(store, 'machine', key);
      if (!child) continue;
      await this.index.add(child);
      this.workSoon(key);
    }
  }

  /** After the turn that is running now. */
  workSoon(key: string): void {
    void this.workInTurn(key);
  }

  async workInTurn(key: string): Promise<void> {
    await this.peer.inTurn(() => this.#work(key)).catch((error: Error) => this.parts.onFailure?.(error));
  }

  async #work(key: string): Promise<void> {
    for (let steps = 0; steps < mostSteps; steps += 1) {
      const record = await getValue(this.store, 'machine', key);
      if (!record || this.peer.self.displacedBy) return;
      const isWorking =
        record.jobs.length > 0
          ? await runJob(this, record)
          : (await this.#evaluate(record)) || (record.isGroupDue === true && (await this.#evaluateGroup(key)));
      if (!isWorking) break;
    }
    const record = await getValue(this.store, 'machine', key);
    if (record) {
      this.index.note(key, record);
      this.parts.onChange?.(record);
    }
    this.peer.onDraft?.();
  }

  async #evaluate(record: MachineRecord): Promise<boolean> {
    const isQuiet = Math.max(record.quietUntil ?? 0, record.model?.retryAt ?? 0) > this.now;
    if (!record.isEvaluationDue || isQuiet) return false;
    return record.outside ? offerTimes(this, record) : evaluate(this, record);
  }

  async #evaluateGroup(key: string): Promise<boolean> {
    const record = await getValue(this.store, 'machine', key);
    return record?.isGroupDue === true ? evaluateGroup(this, record) : false;
  }

  /** What the person's words say, as an intent and values. They name a meeting, or ask for fields: `needs`. */
  async readRequest(words: string, audience: string | undefined, needs: readonly Need[] = []) {
    const read = await this.readWords(words, audience);
    const profile = await this.profile();
    // The rules would send such words, and then wait for ever.
    if (read.event === undefined && needs.length === 0 && !profile.model)
      throw badInput(`“${words}” names no meeting that your peer can arrange. Use one of these words: ${meetingWords}.`);
    const zone = await this.zoneOf(profile);
    const problem = read.event === undefined ? undefined : dayProblem(words, dayOf(zone, this.now));
    if (problem !== undefined) throw badInput(problem);
    return read;
  }

  /** Of another person too: a day that is over, or that nobody can read, is no fault of those who get it. */
  async readWords(words: string, audience: string | undefined) {
    const { event, dates, isUrgent } = readIntentWords(words, this.now, await this.zoneOf(await this.profile()));
    const stated: FreeFields = {
      ...(event ? { event_type: event } : {}),
      ...(dates.length > 0 ? { proposed_date: dates } : {}),
      ...(audience === undefined ? {} : { [audienceField]: audience }),
    };
    const intent = { category: event ? 'scheduling' : 'information', summary: words, urgency: isUrgent ? 'urgent' : 'low' };
    return { event, stated, intent };
  }

  /** One that is stored: its work begins. */
  async begin(record: MachineRecord): Promise<void> {
    await this.index.add(record);
    this.workSoon(keyOf(record));
  }

  openGroup(addresses: readonly string[], words: string, options: GroupOptions = {}): Promise<MachineRecord> {
    return openGroupWith(this, addresses, words, options);
  }

  open(address: string, words: string, wanted: readonly Need[], options: OpeningOptions = {}): Promise<MachineRecord> {
    return openWith(this, address, words, wanted, options);
  }

  /** The negotiation once nothing of it is left to do now. */
  async settled(key: string): Promise<MachineRecord> {
    return this.peer.inTurn(async () => (await getValue(this.store, 'machine', key))!);
  }

  /** By its ID, or by that of one of its prompts. A group's ID names its lead, or the line whose prompt waits. */
  async find(id: string, isAsking: (record: MachineRecord) => boolean = isShown): Promise<MachineRecord> {
    const { store } = this;
    const prompt = await getValue(store, 'prompt', id);
    const found = prompt
      ? await getValue(store, 'machine', negotiationKey(prompt.peer, prompt.threadId))
      : ((await this.index.find(id)) ?? (await this.index.findAnew(id)));
    const lines = !prompt && found?.group ? Object.values(await linesOf(store, found)) : [];
    const line = lines.find(isAsking) ?? found;
    if (line) return line;
    throw new PeerCallError('unknown_id', `There is no negotiation and no prompt ${id}.`);
  }

  /** Ends what brains think about; a restart begins it again. Actions that run are looked at after it. */
  stop(): void {
    this.thoughts.end();
    this.actions.stop();
  }

  /** Clocks that ran out, and work that was not finished. Returns when to look again. `waits`: also for brains that think and for actions that run. */
  async resume({ waits = true } = {}): Promise<number | null> {
    let next: number | null = null;
    for (const key of await this.index.unfinished()) {
      const due = await this.peer.inTurn(() => this.#resumeOne(key));
      if (due !== null) next = Math.min(next ?? due, due);
    }
    if (waits) await Promise.all([this.thoughts.settled(), this.actions.settled()]);
    return next;
  }

  async #resumeOne(key: string): Promise<number | null> {
    let record = await getValue(this.store, 'machine', key);
    // The person may have removed the peer meanwhile.
    if (!record) return null;
    const due = dueOf(record);
    if (due !== null && due <= this.now && !this.peer.self.displacedBy) {
      const desk = await this.desk(record.machine.peer);
      ({ record } = await applyInput(desk, record, { kind: 'tick' }));
      await this.commit(desk);
      this.parts.onChange?.(record);
    }
    if (record.isEvaluationDue || record.jobs.length > 0 || record.isGroupDue) await this.#work(key);
    const last = (await getValue(this.store, 'machine', key))!;
    const waiting = last.isEvaluationDue ? [last.quietUntil, last.model?.retryAt ?? null] : [];
    const times = [dueOf(last), ...waiting].filter((time) => time !== null);
    this.index.note(key, last);
    return times.length === 0 ? null : Math.min(...times);
  }
}

/** Nobody has said what it is about: a member's outcome may come before the coordinator's first packet (A2C-27). */
const isUnopened = ({ machine, intent }: MachineRecord): boolean =>
  intent === null && machine.role === 'responder' && machine.state === 'INITIATED';

/** When the negotiation's clock is due, or its group's. */
function dueOf({ machine, group }: MachineRecord): number | null {
  const times = [nextTick(machine), group ? nextGroupTick(group) : null].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}
