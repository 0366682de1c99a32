// The page's side of a workspace: one state, filled by a snapshot and kept by the stream's facts. Views select from
// it and call the parts below; none of them keeps a copy.

import { everyConversation, everyMember } from '@parley/sdk/pages';
import type { Member, MyConversation, StreamEvent } from '@parley/protocol';
import { parseCursor } from '@parley/protocol';
import type { Client, Stream, StreamState } from '@parley/sdk';
import { ConnectionError, ParleyError } from '@parley/sdk';
import { createStore, type StateStore } from '../lib/store.ts';
import { applyEvent, type MissingData, recountUnread, withConversation } from './apply.ts';
import { type Chains, createChains } from './chains.ts';
import { createHistory, type History } from './history.ts';
import { byId } from './model.ts';
import { isOverseen } from './names.ts';
import type { ObligationState, State } from './model.ts';
import { createOutbox, type MessageOutbox } from './outbox.ts';
import { createReadTracker, type ReadTracker } from './read-tracker.ts';
import { indexTasks, markPresence, withFetched } from './work.ts';

interface Snapshot {
  state: State;
  cursor: string;
}

async function fetchOwed(client: Client): Promise<ObligationState> {
  const [{ obligations: owe }, { obligations: waiting }] = await Promise.all([
    client.call('listObligations', { query: { owe: 'me' } }),
    client.call('listObligations', { query: { waiting: 'me' } }),
  ]);
  return { owe, waiting };
}

async function takeSnapshot(client: Client): Promise<Snapshot> {
  const [session, listed, { members }, { agents }, { roles }, { tasks }, { checkpoints }, owed, halt] = await Promise.all([
    client.call('getSession'),
    everyConversation(client),
    everyMember(client),
    client.call('listAgents'),
    client.call('listRoles'),
    client.call('listTasks', { query: { state: 'open', limit: 200 } }),
    client.call('listCheckpoints', { query: { state: 'open' } }),
    fetchOwed(client),
    client.call('getHalt'),
  ]);
  // Taken side by side, so the stream is followed from the earlier one; facts already counted are recognised.
  const cursor = parseCursor(session.cursor).seq <= parseCursor(listed.cursor).seq ? session.cursor : listed.cursor;
  return {
    cursor,
    state: {
      myId: session.me.id,
      openedBy: session.openedBy ?? null,
      workspace: session.workspace.name,
      // Nobody gets facts about their own presence; the reader of this is here.
      members: markPresence({ ...byId(members), [session.me.id]: { ...session.me, online: true } }, agents),
      roles: byId(roles),
      conversations: byId(listed.conversations),
      memberships: {},
      leaves: [],
      timelines: {},
      typing: {},
      pending: [],
      agents: byId(agents),
      ...indexTasks(tasks),
      chains: {},
      notices: {},
      checkpoints: byId(checkpoints),
      settled: {},
      owed,
      latest: null,
      drafts: [],
      tools: {},
      halt,
      peerMoves: 0,
      connection: 'connecting',
    },
  };
}

export async function openWorkspace(client: Client, onSignedOut: () => void): Promise<Workspace> {
  return new Workspace(client, await takeSnapshot(client), onSignedOut);
}

export class Workspace {
  readonly client: Client;
  readonly store: StateStore<State>;
  readonly history: History;
  readonly outbox: MessageOutbox;
  readonly reading: ReadTracker;
  readonly chains: Chains;
  private readonly stream: Stream;
  private readonly onSignedOut: () => void;
  private readonly sweep: ReturnType<typeof setInterval>;
  /** Facts of who came and went, counted by conversation. */
  private readonly moves = new Map<string, number>();
  private wasLive = false;
  private membersRead: Promise<void> | undefined;

  constructor(client: Client, { state, cursor }: Snapshot, onSignedOut: () => void) {
    const store = createStore(state);
    this.client = client;
    this.store = store;
    this.onSignedOut = onSignedOut;
    this.history = createHistory(client, store);
    this.reading = createReadTracker(client, store, (id) => this.refreshConversation(id));
    this.chains = createChains(client, store, () => {
      // No facts come of agents' DMs: the open ones are read again.
      for (const id of this.history.open()) if (isOverseen(store.get().conversations[id])) void this.history.reload(id);
    });
    this.outbox = createOutbox(client, store, this.history.reload);
    this.stream = client.stream({ cursor, onEvent: (event) => this.onEvent(event), onState: (now) => this.onState(now) });
    addEventListener('online', this.retryConnection);
    document.addEventListener('visibilitychange', this.retryConnection);
    addEventListener('beforeunload', this.onLeaving);
    this.sweep = setInterval(() => store.update((now) => dropOldGrowing(dropOldTyping(now, Date.now()), Date.now())), 1_000);
  }

  /** Fetches a conversation as one has it now; for those the state does not know, or may know wrongly. */
  readonly refreshConversation = async (id: string): Promise<MyConversation> => {
    for (let tries = 1; ; tries++) {
      const conversation = await this.client.call('getConversation', { params: { conversationId: id } });
      const known = this.store.get().conversations[id];
      const counts = known && recountUnread(known, conversation);
      // Something was said meanwhile, and the answer may have been counted before that.
      if (known && !counts && tries < 3) continue;
      const { readSeq, lastSeq, unread } = counts ?? known ?? conversation;
      this.store.update((state) => withConversation(state, { ...conversation, readSeq, lastSeq, unread }));
      return conversation;
    }
  };

  readonly refreshMemberships = async (id: string): Promise<void> => {
    const before = this.moves.get(id);
    const params = { conversationId: id };
    const [{ memberships }, { leaves }] = await Promise.all([
      this.client.call('listMemberships', { params }),
      this.client.call('listLeaves', { params }),
    ]);
    // Somebody came or went meanwhile, and the list may have been read before that.
    if (this.moves.get(id) !== before) return this.refreshMemberships(id);
    this.store.update((state) => ({
      ...state,
      memberships: { ...state.memberships, [id]: memberships },
      leaves: [...state.leaves.filter((leave) => leave.conversationId !== id && leave.parentId !== id), ...leaves],
    }));
  };

  /** Fetches a conversation's tasks and our checkpoints in it, ended ones too, and its notices. */
  readonly refreshWork = async (id: string): Promise<void> => {
    const [{ tasks }, { notices }, { checkpoints }] = await Promise.all([
      this.client.call('listTasks', { query: { conversationId: id, state: 'all', limit: 200 } }),
      this.client.call('listNotices', { query: { conversationId: id } }),
      this.client.call('listCheckpoints', { query: { conversationId: id, state: 'all', limit: 200 } }),
    ]);
    this.store.update((state) => withFetched(state, tasks, notices, checkpoints));
  };

  /** Fetches what we owe and what we wait for. */
  readonly refreshOwed = async (): Promise<void> => {
    const owed = await fetchOwed(this.client);
    this.store.update((state) => ({ ...state, owed }));
  };

  /** Fetches again the shown checkpoints: the effect of an approval changes without a fact. */
  readonly refreshWaiting = async (): Promise<void> => {
    const { checkpoints } = await this.client.call('listCheckpoints', { query: { state: 'open' } });
    const fresh = byId(checkpoints);
    // Answers given meanwhile stay, and new checkpoints are announced.
    this.store.update((state) => ({
      ...state,
      checkpoints: Object.fromEntries(Object.entries(state.checkpoints).map(([id, known]) => [id, fresh[id] ?? known])),
    }));
  };

  /** One after the other: an answer that was read later is never taken for older. */
  private refreshMembers(): Promise<void> {
    const read = this.membersRead ? this.membersRead.catch(() => {}).then(() => this.readMembers()) : this.readMembers();
    this.membersRead = read;
    return read.finally(() => {
      if (this.membersRead === read) this.membersRead = undefined;
    });
  }

  private async readMembers(): Promise<void> {
    const before = this.store.get().agents;
    const [{ members }, { agents: asked }] = await Promise.all([everyMember(this.client), this.client.call('listAgents')]);
    this.store.update((state) => {
      const me = state.members[state.myId]!;
      // A fact that came meanwhile is newer than the answer, which may have been read before. Only the answer says whether the
      // key is there, and whose its tool servers are.
      const agents = asked.map((agent) => {
        const known = state.agents[agent.id];
        return !known || known === before[agent.id] ? agent : { ...known, needsKey: agent.needsKey, privateTools: agent.privateTools };
      });
      return { ...state, members: markPresence({ ...byId(members), [me.id]: me }, agents), agents: byId(agents) };
    });
  }

  private async refreshMe(): Promise<void> {
    const { me } = await this.client.call('getSession');
    this.putMember({ ...me, online: true });
  }

  readonly putMember = (member: Member): void =>
    this.store.update((state) => ({ ...state, members: { ...state.members, [member.id]: member } }));

  readonly typing = (conversationId: string): void => this.stream.typing(conversationId);
  readonly retryConnection = (): void => this.stream.retryNow();

  stop(): void {
    this.chains.stop();
    clearInterval(this.sweep);
    removeEventListener('online', this.retryConnection);
    document.removeEventListener('visibilitychange', this.retryConnection);
    removeEventListener('beforeunload', this.onLeaving);
    this.stream.close();
  }

  /** Silently: what is on screen stays until its replacement is here. */
  private async resnapshot(): Promise<void> {
    const { state: fresh } = await takeSnapshot(this.client);
    const open = this.history.open();
    const { conversations } = this.store.get();
    this.store.update(({ connection, chains, pending, timelines, peerMoves }) => ({
      ...fresh,
      peerMoves: peerMoves + 1,
      connection,
      chains,
      pending,
      timelines: Object.fromEntries(Object.entries(timelines).filter(([id]) => open.has(id))),
    }));
    this.chains.refreshAll();
    for (const id of open) {
      void this.history.reload(id);
      void this.refreshWork(id).catch(() => {});
      // A thread is not in the list, and what it hangs on may be outside the page around it.
      const root = conversations[id]?.rootMessageId;
      if (root) void this.meet({ type: 'conversation', id }).then(() => this.meet({ type: 'message', id: root }));
    }
  }

  private async meet(need: MissingData): Promise<void> {
    if (need.type === 'snapshot') return persist(() => this.resnapshot());
    if (need.type === 'chain') return this.chains.moved(need.id);
    if (need.type === 'chains') return this.chains.refreshAll();
    if (need.type === 'timeline') return this.history.reload(need.id);
    // These only fill in; a failure is made good by the next fact or reload.
    await this.fillIn(need).catch(() => {});
  }

  private fillIn(need: Exclude<MissingData, { type: 'snapshot' | 'chain' | 'chains' | 'timeline' }>): Promise<unknown> {
    if (need.type === 'me') return this.refreshMe();
    if (need.type === 'members') return this.refreshMembers();
    if (need.type === 'owed') return this.refreshOwed();
    if (need.type === 'waiting') return this.refreshWaiting();
    return need.type === 'message' ? this.history.refresh(need.id) : this.refreshConversation(need.id);
  }

  private onEvent(event: StreamEvent): void | Promise<void> {
    const moved = movedIn(event);
    if (moved !== null) this.moves.set(moved, (this.moves.get(moved) ?? 0) + 1);
    const needs: MissingData[] = [];
    this.store.update((state) => {
      const [next, more] = applyEvent(state, event, Date.now());
      needs.push(...more);
      return next;
    });
    const snapshotNeeded = needs.find((need) => need.type === 'snapshot');
    // Facts behind a reset belong after the new snapshot, so the stream is made to wait for it; nothing else holds it up.
    if (snapshotNeeded) return this.meet(snapshotNeeded);
    for (const need of needs) void this.meet(need);
  }

  private onState(state: StreamState): void {
    if (state.status === 'stopped') {
      if (state.why === 'unauthenticated') this.onSignedOut();
      // A state we cannot trust any more is better taken again than shown.
      else if (state.why === 'handler_failed') location.reload();
      return;
    }
    if (state.status === 'live') this.wasLive = true;
    const connection = state.status === 'live' ? 'live' : this.wasLive || state.status === 'waiting' ? 'reconnecting' : 'connecting';
    this.store.update((now) => (now.connection === connection ? now : { ...now, connection }));
    if (state.status !== 'live') return;
    this.outbox.retryLost();
    void this.nameZone();
  }

  /** The hub's machine may be elsewhere. A hub without peers needs no zone. */
  private async nameZone(): Promise<void> {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    await this.client.call('noticePeerZone', { body: { zone } }).catch(() => {});
  }

  /** Closing the page would lose what is still on its way, so the browser asks first. */
  private readonly onLeaving = (event: BeforeUnloadEvent): void => {
    if (this.store.get().pending.length > 0) event.preventDefault();
  };
}

/** Where somebody came or went. */
function movedIn(event: StreamEvent): string | null {
  if (event.type === 'membership.added') return event.data.membership.conversationId;
  if (event.type === 'agent.left') return event.data.leave.parentId ?? event.data.leave.conversationId;
  return event.type === 'membership.removed' || event.type === 'agent.returned' ? event.data.conversationId : null;
}

/** A snapshot must come, or nothing after it may be shown; a hub that is away is asked again. */
async function persist(run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConnectionError || error instanceof ParleyError) || !error.shouldRetry()) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  }
}

function dropOldTyping(state: State, now: number): State {
  const stale = Object.entries(state.typing).filter(([, members]) => Object.values(members).some((until) => until <= now));
  if (stale.length === 0) return state;
  const typing = { ...state.typing };
  for (const [id, members] of stale) typing[id] = Object.fromEntries(Object.entries(members).filter(([, until]) => until > now));
  return { ...state, typing };
}

/** A request grows for half a minute (C2A-28). */
function dropOldGrowing(state: State, now: number): State {
  const grown = Object.values(state.tasks).filter(({ growing }) => growing !== null && growing.until <= now);
  if (grown.length === 0) return state;
  return { ...state, tasks: { ...state.tasks, ...Object.fromEntries(grown.map((task) => [task.id, { ...task, growing: null }])) } };
}
