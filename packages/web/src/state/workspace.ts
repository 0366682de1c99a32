// The page's side of a workspace: one state, filled by a snapshot and kept by the stream's facts. Views select from
// it and call the parts below; none of them keeps a copy.

import { everyMember } from '@parley/sdk/pages';
import type { Member, MyConversation, StreamEvent } from '@parley/protocol';
import { parseCursor } from '@parley/protocol';
import type { Client, Stream, StreamState } from '@parley/sdk';
import { ConnectionError, ParleyError } from '@parley/sdk';
import { createStore } from '../lib/store.ts';
import type { StateStore } from '../lib/store.ts';
import { applyEvent, recountUnread, withConversation } from './apply.ts';
import { createChains } from './chains.ts';
import type { Chains } from './chains.ts';
import type { MissingData } from './apply.ts';
import { createHistory } from './history.ts';
import type { History } from './history.ts';
import { byId } from './model.ts';
import { isOverseen } from './names.ts';
import type { ObligationState, State } from './model.ts';
import { createOutbox } from './outbox.ts';
import type { MessageOutbox } from './outbox.ts';
import { createReading } from './reading.ts';
import type { ReadTracker } from './reading.ts';
import { indexTasks, markPresence, withFetched } from './work.ts';

export interface Workspace {
  client: Client;
  store: StateStore<State>;
  history: History;
  outbox: MessageOutbox;
  reading: ReadTracker;
  chains: Chains;
  /** Fetches a conversation as one has it now; for those the state does not know, or may know wrongly. */
  refreshConversation: (id: string) => Promise<MyConversation>;
  refreshMemberships: (id: string) => Promise<void>;
  /** Fetches a conversation's tasks, ended ones too, and its notices. */
  refreshWork: (id: string) => Promise<void>;
  /** Fetches what we owe and what we wait for. */
  refreshOwed: () => Promise<void>;
  /** Fetches anew the shown checkpoints: the effect of an approval changes without a fact. */
  refreshWaiting: () => Promise<void>;
  putMember: (member: Member) => void;
  typing: (conversationId: string) => void;
  retryConnection: () => void;
  stop: () => void;
}

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
    client.call('listConversations'),
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
      owed,
      latest: null,
      drafts: [],
      tools: {},
      halt,
      connection: 'connecting',
    },
  };
}

export async function openWorkspace(client: Client, onSignedOut: () => void): Promise<Workspace> {
  const snapshot = await takeSnapshot(client);
  const store = createStore(snapshot.state);
  const history = createHistory(client, store);
  const reading = createReading(client, store, (id) => refreshConversation(id));
  const chains = createChains(client, store, () => {
    // No facts come of agents' DMs: the open ones are read again.
    for (const id of history.open()) if (isOverseen(store.get().conversations[id])) void history.reload(id);
  });
  const outbox = createOutbox(client, store, history.reload);

  async function refreshConversation(id: string, tries = 3): Promise<MyConversation> {
    const conversation = await client.call('getConversation', { params: { conversationId: id } });
    const known = store.get().conversations[id];
    const counts = known && recountUnread(known, conversation);
    // Something was said meanwhile, and the answer may have been counted before that.
    if (known && !counts && tries > 1) return refreshConversation(id, tries - 1);
    const { readSeq, lastSeq, unread } = counts ?? known ?? conversation;
    store.update((state) => withConversation(state, { ...conversation, readSeq, lastSeq, unread }));
    return conversation;
  }

  /** Facts of who came and went, counted by conversation. */
  const told = new Map<string, number>();

  async function refreshMemberships(id: string): Promise<void> {
    const before = told.get(id);
    const params = { conversationId: id };
    const [{ memberships }, { leaves }] = await Promise.all([
      client.call('listMemberships', { params }),
      client.call('listLeaves', { params }),
    ]);
    // Somebody came or went meanwhile, and the list may have been read before that.
    if (told.get(id) !== before) return refreshMemberships(id);
    store.update((state) => ({
      ...state,
      memberships: { ...state.memberships, [id]: memberships },
      leaves: [...state.leaves.filter((leave) => leave.conversationId !== id && leave.parentId !== id), ...leaves],
    }));
  }

  async function refreshWork(id: string) {
    const [{ tasks }, { notices }] = await Promise.all([
      client.call('listTasks', { query: { conversationId: id, state: 'all', limit: 200 } }),
      client.call('listNotices', { query: { conversationId: id } }),
    ]);
    store.update((state) => withFetched(state, tasks, notices));
  }

  async function refreshMembers() {
    const before = store.get().agents;
    const [{ members }, { agents: asked }] = await Promise.all([everyMember(client), client.call('listAgents')]);
    store.update((state) => {
      const me = state.members[state.myId]!;
      // A fact that came meanwhile is newer than the answer, which may have been read before. Only the answer says whether the
      // key is there.
      const agents = asked.map((agent) => {
        const known = state.agents[agent.id];
        return !known || known === before[agent.id] ? agent : { ...known, needsKey: agent.needsKey };
      });
      return { ...state, members: markPresence({ ...byId(members), [me.id]: me }, agents), agents: byId(agents) };
    });
  }

  async function refreshOwed() {
    const owed = await fetchOwed(client);
    store.update((state) => ({ ...state, owed }));
  }

  async function refreshWaiting() {
    const { checkpoints } = await client.call('listCheckpoints', { query: { state: 'open' } });
    const fresh = byId(checkpoints);
    // Answers given meanwhile stay, and new checkpoints are announced.
    store.update((state) => ({
      ...state,
      checkpoints: Object.fromEntries(Object.entries(state.checkpoints).map(([id, known]) => [id, fresh[id] ?? known])),
    }));
  }

  async function refreshMe() {
    const { me } = await client.call('getSession');
    putMember({ ...me, online: true });
  }

  const putMember = (member: Member) => store.update((state) => ({ ...state, members: { ...state.members, [member.id]: member } }));

  /** Silently: what is on screen stays until its replacement is here. */
  async function resnapshot() {
    const { state: fresh } = await takeSnapshot(client);
    const open = history.open();
    const { conversations } = store.get();
    store.update((state) => ({
      ...fresh,
      connection: state.connection,
      chains: state.chains,
      pending: state.pending,
      timelines: Object.fromEntries(Object.entries(state.timelines).filter(([id]) => open.has(id))),
    }));
    chains.refreshAll();
    for (const id of open) {
      void history.reload(id);
      void refreshWork(id).catch(() => {});
      // A thread is not in the list, and what it hangs on may be outside the page around it.
      const root = conversations[id]?.rootMessageId;
      if (root) void meet({ type: 'conversation', id }).then(() => meet({ type: 'message', id: root }));
    }
  }

  async function meet(need: MissingData): Promise<void> {
    if (need.type === 'snapshot') return persist(resnapshot);
    // These only fill in; a failure is made good by the next fact or reload.
    if (need.type === 'me') return refreshMe().catch(() => {});
    if (need.type === 'members') return refreshMembers().catch(() => {});
    if (need.type === 'owed') return refreshOwed().catch(() => {});
    if (need.type === 'chain') return chains.moved(need.id);
    if (need.type === 'chains') return chains.refreshAll();
    if (need.type === 'timeline') return history.reload(need.id);
    if (need.type === 'message') return history.refresh(need.id).catch(() => {});
    await refreshConversation(need.id).catch(() => {});
  }

  function onEvent(event: StreamEvent): void | Promise<void> {
    const moved =
      event.type === 'membership.added'
        ? event.data.membership.conversationId
        : event.type === 'membership.removed'
          ? event.data.conversationId
          : event.type === 'agent.left'
            ? (event.data.leave.parentId ?? event.data.leave.conversationId)
            : event.type === 'agent.returned'
              ? event.data.conversationId
              : null;
    if (moved !== null) told.set(moved, (told.get(moved) ?? 0) + 1);
    const needs: MissingData[] = [];
    store.update((state) => {
      const [next, more] = applyEvent(state, event, Date.now());
      needs.push(...more);
      return next;
    });
    const snapshotNeeded = needs.find((need) => need.type === 'snapshot');
    // Facts behind a reset belong after the new snapshot, so the stream is made to wait for it; nothing else holds it up.
    if (snapshotNeeded) return meet(snapshotNeeded);
    for (const need of needs) void meet(need);
  }

  let wasLive = false;
  function onState(state: StreamState) {
    if (state.status === 'stopped') {
      if (state.why === 'unauthenticated') onSignedOut();
      // A state we cannot trust any more is better taken anew than shown.
      else if (state.why === 'handler_failed') location.reload();
      return;
    }
    if (state.status === 'live') wasLive = true;
    const connection = state.status === 'live' ? 'live' : wasLive || state.status === 'waiting' ? 'reconnecting' : 'connecting';
    store.update((now) => (now.connection === connection ? now : { ...now, connection }));
    if (state.status === 'live') outbox.retryLost();
  }

  const stream: Stream = client.stream({ cursor: snapshot.cursor, onEvent, onState });
  const retryConnection = () => stream.retryNow();
  addEventListener('online', retryConnection);
  document.addEventListener('visibilitychange', retryConnection);
  // Closing the page would lose what is still on its way, so the browser asks first.
  const leaving = (event: BeforeUnloadEvent) => {
    if (store.get().pending.length > 0) event.preventDefault();
  };
  addEventListener('beforeunload', leaving);
  const sweep = setInterval(() => store.update((state) => dropOldGrowing(dropOldTyping(state, Date.now()), Date.now())), 1_000);

  return {
    client,
    store,
    history,
    outbox,
    reading,
    chains,
    refreshConversation: (id) => refreshConversation(id),
    refreshMemberships,
    refreshWork,
    refreshOwed,
    refreshWaiting,
    putMember,
    typing: (conversationId) => stream.typing(conversationId),
    retryConnection,
    stop() {
      chains.stop();
      clearInterval(sweep);
      removeEventListener('online', retryConnection);
      document.removeEventListener('visibilitychange', retryConnection);
      removeEventListener('beforeunload', leaving);
      stream.close();
    },
  };
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
