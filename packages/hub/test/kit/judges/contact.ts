// What must hold of agents that contact each other, said again from scratch (IAC-1 … IAC-14): nobody without leave, nothing
// told twice, nobody woken by a notification, nothing over while somebody still works for it. It reads facts, as the rest of the judge.

import type { Rows } from '@parley/hub';
import { wordOf } from '../../../src/store/stored-values.ts';
import { ContactPermits } from './contact-permits.ts';
import type { ModelTask } from './floor-moves.ts';
import { type Call, digestOf, YesModel } from './approvals.ts';

type Fact = Rows['facts'];
type Data = Record<string, unknown>;

/** What else wakes who waits: work it gave on by name, a word, a mark, a reminder or a request that has changed. */
const causes = ['child', 'message', 'signal', 'why'];
/** So long somebody waits in the call. */
const askMs = 120_000;

export interface ModelContact {
  child: string;
  parent: string;
  action: string;
  /** `asked`: it has a question, `ended`: it is over, of which the one above was not told; `late`: nobody waits for it. */
  state: 'pending' | 'asked' | 'ended' | 'given' | 'late';
  /** Before its end. */
  before: ModelContact['state'];
  since: number;
  /** What came of it is to be posted. */
  due: boolean;
  /** Where in the stream stands what the one above is to be told. */
  place: number;
}

/** What the rest of the judge knows. */
export interface Floor {
  wrong(what: string): void;
  task(id: string | null): ModelTask | undefined;
  /** Open ones of a chain. */
  openIn(chain: string): ModelTask[];
  isIn(room: string, member: string): boolean;
}

interface Posted {
  fact: Fact;
  caller: string;
  call: Call;
  digest: string | undefined;
}

export class ContactModel {
  readonly permits: ContactPermits;
  readonly yes: YesModel;
  /** By the sub-task. */
  readonly all = new Map<string, ModelContact>();
  /** Agent and action → how often it was let contact another so; agent → how often not. */
  readonly made = new Map<string, number>();
  readonly refusals = new Map<string, number>();
  posted = 0;
  results = 0;
  private readonly floor: Floor;
  private readonly under = new Map<string, ModelContact[]>();
  /** Sub-task → the request that is about to open it. */
  private readonly opening = new Map<string, Posted>();
  /** Messages that wake nobody. */
  private readonly quiet = new Set<string>();
  private readonly questions = new Map<string, number>();
  /** Who contacts whom with exactly what: in which of its tasks is not known. */
  private readonly unsure = new Set<string>();
  /** A turn of it has begun, and it is to be told something with that. */
  private toTell: string | undefined;

  constructor(floor: Floor) {
    this.floor = floor;
    const wrong = (what: string): void => floor.wrong(what);
    this.permits = new ContactPermits((room, member) => floor.isIn(room, member));
    this.yes = new YesModel(this.permits, wrong);
  }

  private of(parent: string): readonly ModelContact[] {
    return this.under.get(parent) ?? [];
  }

  private untold(parent: string): ModelContact[] {
    return this.of(parent).filter(({ action, state }) => action !== 'ask' && (state === 'ended' || state === 'asked'));
  }

  /** Every fact, before anything else is made of it. */
  next(fact: Fact): void {
    if (this.toTell !== undefined && !(fact.type === 'task.result' && fact.subject_id === this.toTell))
      this.floor.wrong(`${this.toTell} began before ${fact.seq} and was not told what came of what it gave on`);
    this.toTell = undefined;
  }

  /** An agent's request, in the words of the platform. */
  posts(fact: Fact, data: Data, message: Rows['messages'], dm: Rows['conversations'] | undefined): void {
    const caller = fact.actor_id!;
    const action = data['contact'] as string;
    const what = `contact ${message.id} at ${fact.seq} by ${caller}`;
    this.posted++;
    const name = `${caller} ${action}`;
    this.made.set(name, (this.made.get(name) ?? 0) + 1);
    const pair = dm?.dm_key?.split(',') ?? [];
    const target = pair.find((id) => id !== caller);
    if (pair.length !== 2 || !pair.includes(caller) || target === undefined)
      return this.floor.wrong(`${what} is in ${message.conversation_id}, which is no DM of two`);
    const call = read(message.body, action, target);
    const posted: Posted = { fact, caller, call: call ?? noWords(action, target), digest: call && digestOf(call) };
    const child = data['task'] as string | undefined;
    if (action === 'notify') {
      this.quiet.add(message.id);
      return this.notifies(what, posted);
    }
    if (child === undefined) return this.floor.wrong(`${what} is for no task`);
    const known = this.all.get(child);
    if (known) this.goesOn(what, posted, known);
    else this.opening.set(child, posted);
  }

  private notifies(what: string, posted: Posted): void {
    const mine = this.floor.openIn(posted.fact.chain_id!).filter(({ agent, state }) => agent === posted.caller && state === 'active');
    if (mine.length === 0) return this.floor.wrong(`${what} was made in no task`);
    if (mine.length > 1) for (const task of mine) for (const { id } of this.yes.of(task.id)) this.unsure.add(id);
    const problems = mine.map((task) => this.problemOf(task, posted));
    if (!problems.includes(undefined)) this.floor.wrong(`${what} ${problems[0]}`);
  }

  /** Its sub-task has asked, was heard, and this is the answer. */
  private goesOn(what: string, posted: Posted, contact: ModelContact): void {
    const [child, parent] = [this.floor.task(contact.child), this.floor.task(contact.parent)];
    if (child?.state !== 'waiting' || contact.state === 'asked')
      this.floor.wrong(`${what} goes on with ${contact.child}, which is ${child?.state} and ${contact.state}`);
    if (child?.agent !== posted.call.target) this.floor.wrong(`${what} goes on with a task of ${child?.agent}`);
    this.isMade(what, posted, parent);
    Object.assign(contact, { action: posted.call.action, state: 'pending', since: posted.fact.at });
  }

  private isMade(what: string, posted: Posted, task: ModelTask | undefined): void {
    if (!task || task.agent !== posted.caller || task.state !== 'active' || task.chain !== posted.fact.chain_id)
      return this.floor.wrong(`${what} was made in ${task?.id}, which is ${task?.state} and ${task?.agent}’s`);
    const problem = this.problemOf(task, posted);
    if (problem !== undefined) this.floor.wrong(`${what} ${problem}`);
  }

  private problemOf(task: ModelTask, { caller, call, digest }: Posted): string | undefined {
    const permit = this.permits.of(task, call.target);
    if (call.target === caller) return 'is to itself';
    if (permit.is === 'no') return `is not permitted (${permit.line})`;
    if (permit.is === 'ask' && !this.yes.use(task.id, digest, call.target)) return `had nobody’s yes for ${call.target}`;
    return undefined;
  }

  opened(task: ModelTask, home: string): void {
    this.permits.opened(task, home);
    if (this.quiet.has(task.message) && task.addressedBy !== 'assigned' && task.addressedBy !== 'obligation')
      this.floor.wrong(`${task.id} was woken by ${task.message}, which is to wake nobody`);
    const given = task.addressedBy === 'agent_ask' ? 'ask' : task.addressedBy === 'agent_delegation' ? 'delegate' : undefined;
    const posted = this.opening.get(task.id);
    this.opening.delete(task.id);
    if ((given === undefined) !== (posted === undefined))
      return this.floor.wrong(`${task.id} is ${task.addressedBy}, by a contact: ${!!posted}`);
    if (!posted || given === undefined) return;
    const what = `${task.id}, opened at ${posted.fact.seq},`;
    if (
      posted.call.action !== given ||
      posted.call.target !== task.agent ||
      posted.fact.subject_id !== task.message ||
      task.parent === null
    )
      this.floor.wrong(`${what} is not what ${posted.caller} asked for`);
    const parent = this.floor.task(task.parent);
    this.isMade(what, posted, parent);
    // Who asks may ask back; work does not go in a circle.
    if (parent && (given === 'ask' ? parent.agent === task.agent : parent.path.includes(task.agent!)))
      this.floor.wrong(`${what} goes in a circle: ${task.path.join(' ')}`);
    const base = { child: task.id, parent: task.parent!, action: given, since: posted.fact.at };
    const contact: ModelContact = { ...base, state: 'pending', before: 'pending', due: false, place: 0 };
    this.all.set(task.id, contact);
    this.under.set(contact.parent, [...this.of(contact.parent), contact]);
  }

  isContact(message: string, task: string): boolean {
    const posted = this.opening.get(task);
    return posted?.fact.subject_id === message;
  }

  question(task: string, place: number): void {
    this.questions.set(task, place);
  }

  /** It asks whoever gave it. */
  asks(task: ModelTask, inWords: boolean): void {
    const contact = this.all.get(task.id);
    const parent = contact && this.floor.task(contact.parent);
    if (!contact || parent?.state === 'ended' || contact.state === 'late') return;
    contact.state = contact.action === 'ask' ? 'given' : 'asked';
    contact.place = inWords ? (this.questions.get(task.id) ?? 0) : 0;
  }

  timedOut(fact: Fact): void {
    const contact = this.all.get(fact.subject_id!);
    if (contact?.action !== 'ask' || contact.state !== 'pending')
      return this.floor.wrong(`${fact.subject_id} was no longer waited for at ${fact.seq}, and is ${contact?.state}`);
    if (fact.at < contact.since + askMs) this.floor.wrong(`${contact.child} was waited for only from ${contact.since} to ${fact.at}`);
    contact.state = 'late';
  }

  /** Whoever waits in the call is told that it waits in vain: its own task is over, or about to be. */
  droppedAt(fact: Fact): void {
    const contact = this.all.get(fact.subject_id!);
    const was = contact && (this.floor.task(contact.child)?.state === 'ended' ? contact.before : contact.state);
    if (!contact || contact.action !== 'ask' || was !== 'pending')
      return this.floor.wrong(`${fact.subject_id} was dropped at ${fact.seq}, and is ${contact?.action}, ${was}`);
    Object.assign(contact, { state: 'late', due: false });
  }

  /** Above it somebody is still there: what came of it is told there. */
  ends(task: ModelTask, parent: ModelTask | undefined): void {
    const contact = this.all.get(task.id);
    if (!contact) return;
    contact.before = contact.state;
    if (contact.state === 'late') return;
    if (parent?.state === 'ended') contact.state = contact.state === 'given' ? 'given' : 'late';
    else if (contact.action === 'ask') contact.state = 'given';
    else Object.assign(contact, { state: 'ended', due: true });
  }

  /** It ended with the one above, or with the claim of who gave it: nobody is told. */
  dropped(child: ModelTask): void {
    const contact = this.all.get(child.id);
    if (contact) Object.assign(contact, { state: contact.before === 'given' ? 'given' : 'late', due: false });
  }

  /** The one above is over. `withIt`: what ended together with it. */
  parentEnds(task: ModelTask, type: string, cause: string, withIt: readonly ModelTask[]): void {
    this.yes.over(task.id, `${task.id} has ended`);
    const lastWord = type === 'task.complete' || type === 'task.decline';
    for (const contact of this.of(task.id)) {
      const child = this.floor.task(contact.child);
      const open = child !== undefined && child.state !== 'ended';
      if (
        type === 'task.complete' &&
        cause === 'answered' &&
        contact.action !== 'ask' &&
        (open || withIt.includes(child!) || contact.state === 'ended')
      )
        this.floor.wrong(`${task.id} was answered, though ${contact.child} was given on and nothing of it was told`);
      if (!open) continue;
      if (!lastWord || contact.action !== 'ask' || child.state === 'waiting')
        this.floor.wrong(`${contact.child} is ${child.state}, though ${task.id} has ended`);
      if (contact.state !== 'given') contact.state = 'late';
    }
  }

  /** Posted by the platform where the one above works. */
  result(fact: Fact, data: Data, message: Rows['messages'] | undefined): void {
    const contact = this.all.get(data['result'] as string);
    const [child, parent] = contact ? [this.floor.task(contact.child), this.floor.task(contact.parent)] : [];
    this.results++;
    this.quiet.add(fact.subject_id!);
    if (!contact || !parent || data['task'] !== contact.parent)
      return this.floor.wrong(`${fact.subject_id} is the result of nothing that was given on`);
    if (contact.action === 'ask') this.floor.wrong(`what ${contact.child} was asked was told in ${parent.id} at ${fact.seq}`);
    else if (!contact.due) this.floor.wrong(`${parent.id} was told at ${fact.seq} of ${contact.child}, which is ${contact.state}`);
    contact.due = false;
    contact.place = fact.seq;
    if (message && message.conversation_id !== parent.conversation)
      this.floor.wrong(`what came of ${contact.child} was told in ${message.conversation_id}`);
    const good = message?.body?.startsWith('[Delegation Result ');
    if (good !== undefined && good !== (child?.end?.type === 'task.complete'))
      this.floor.wrong(`${contact.child} ended with ${child?.end?.type}, and its result says otherwise`);
  }

  begins(task: ModelTask, from: string): void {
    if (from === 'queued' && this.untold(task.id).length > 0) this.toTell = task.id;
  }

  /** With a turn of it, and only the first of what came. */
  told(fact: Fact, task: ModelTask, data: Data, before: Fact | undefined): void {
    const contact = this.all.get(data['child'] as string);
    if (!contact) return;
    const what = `${task.id} was told of ${contact.child} at ${fact.seq}`;
    if (contact.action === 'ask') return this.floor.wrong(`${what}, which was asked in a call`);
    if (contact.parent !== task.id) return this.floor.wrong(`${what}, which is not its own`);
    const waiting = this.untold(task.id);
    if (!waiting.includes(contact)) return this.floor.wrong(`${what}, which is ${contact.state}: once more`);
    if (before?.type !== 'task.begin' || before.subject_id !== task.id) this.floor.wrong(`${what}, and had not begun`);
    if (waiting.some(({ place }) => place < contact.place)) this.floor.wrong(`${what} before what came earlier`);
    contact.state = contact.state === 'ended' ? 'given' : 'pending';
  }

  /** Its turn is over, and it waits: for something. */
  waits(fact: Fact, task: ModelTask, hasOpen: boolean): void {
    if (fact.type === 'task.await' && !this.yes.isAsked(task.id))
      this.floor.wrong(`${task.id} waits for a yes at ${fact.seq}, and nobody is asked`);
    if (fact.type === 'task.pause' && !hasOpen) this.floor.wrong(`${task.id} waits for others at ${fact.seq}, and none is at it`);
  }

  /** It waited, and something woke it. */
  resumes(fact: Fact, task: ModelTask, data: Data): void {
    const what = `${task.id} was woken at ${fact.seq}`;
    if (this.quiet.has((data['message'] as string | undefined) ?? '')) this.floor.wrong(`${what} by what is to wake nobody`);
    if (typeof data['of'] === 'string') {
      const contact = this.all.get(data['of']);
      if (!contact || !this.untold(task.id).includes(contact))
        this.floor.wrong(`${what} by ${data['of']}, of which there is nothing to tell`);
    } else if (typeof data['approval'] === 'string') {
      const yes = this.yes.all.get(data['approval']);
      if (yes?.task !== task.id || yes.state !== wordOf(String(data['state'])))
        this.floor.wrong(`${what} by ${data['approval']}, which is ${yes?.state}`);
    } else if (fact.type === 'task.resume' && !causes.some((key) => typeof data[key] === 'string')) this.floor.wrong(`${what} by nothing`);
  }

  refused(fact: Fact, data: Data): void {
    const task = this.floor.task(fact.subject_id);
    const [reason, target] = [data['reason'] as string, data['target'] as string | undefined];
    this.refusals.set(fact.member_id!, (this.refusals.get(fact.member_id!) ?? 0) + 1);
    if (!task || task.agent !== fact.member_id || task.state !== 'active')
      return this.floor.wrong(`contact.refused at ${fact.seq} of ${task?.id}`);
    const permit = target === undefined || target === task.agent ? undefined : this.permits.of(task, target);
    const denied = permit?.is === 'no' ? permit.line : undefined;
    if ((reason === 'denied' || reason === 'denied_for_all') && reason !== denied)
      this.floor.wrong(`${task.agent} was kept from ${target} at ${fact.seq} (${reason}), and is not to be`);
    if ((reason === 'needs_approval' || reason === 'no') && permit?.is !== 'ask')
      this.floor.wrong(`${task.agent} needed a yes for ${target} at ${fact.seq}, and need not have one`);
    if (reason === 'no' && !this.yes.of(task.id).some((yes) => yes.state === 'denied' && yes.target === target))
      this.floor.wrong(`nobody had said no to ${target} at ${fact.seq}`);
  }

  compare(rows: { contacts: readonly Rows['contacts'][]; approvals: readonly Rows['approvals'][] }): void {
    for (const row of rows.contacts) {
      const contact = this.all.get(row.task_id);
      if (contact?.parent !== row.parent_id || contact.action !== row.action || contact.state !== row.state)
        this.floor.wrong(`${row.task_id} is a ${row.action} kept as ${row.state}, its facts say ${contact?.action}, ${contact?.state}`);
    }
    for (const row of rows.approvals) if (!this.unsure.has(row.id)) this.yes.compare(row);
    for (const { due, child, parent } of this.all.values()) if (due) this.floor.wrong(`${parent} was told 0 times that ${child} ended`);
  }
}

const noWords = (action: string, target: string): Call => ({ action, target, message: '', context: undefined, priority: undefined });

/** What the caller wrote, from the words as they were posted; undefined: they are gone. */
function read(body: string | null, action: string, target: string): Call | undefined {
  if (body === null) return undefined;
  const [header = '', ...parts] = body.split('\n\n');
  const context = parts.length > 1 ? parts[0]!.replace(/^Context: /, '') : undefined;
  return { action, target, message: parts.at(-1) ?? '', context, priority: /Priority: (\w+)/.exec(header)?.[1] };
}
