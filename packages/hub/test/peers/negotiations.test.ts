// A person asks an agent to arrange something: the person's own peer negotiates, and the result comes back into the same task.

import { type Checkpoint, PeerCallError, type PromptAnswer, type PromptCard } from '@parley/protocol';
import { onBothEngines, type Person, startTestHub, type TestHub, waitFor } from '@parley/testkit';
import { afterEach, expect, test } from 'vitest';
import { PeerServiceKit } from '../kit/peers.ts';

const hour = 3_600_000;
const canary = 'CANARY-7f3a';

const consent = (threadId: string): PromptCard => ({
  kind: 'consent',
  threadId,
  peer: 'agent:bob@localhost',
  peerName: 'bob at the relay',
  intent: `dinner ${canary}`,
  fields: [
    { field: 'availability', reason: `when ${canary}`, value: `friday ${canary}`, choices: [], offersAlways: false },
    { field: 'area', reason: null, value: null, choices: [canary], offersAlways: false },
  ],
});

onBothEngines('an agent lets a person’s peer negotiate', (engine) => {
  let kit: TestHub;
  let service: PeerServiceKit;
  let ann: Person;
  let bob: Person;
  let general: string;
  afterEach(() => kit.stop());

  async function start(): Promise<void> {
    service = new PeerServiceKit();
    kit = await startTestHub(engine, { peers: service });
    [ann, bob] = [await kit.person('ann'), await kit.person('bob')];
    general = await kit.general();
  }
  const settled = () => kit.hub.kernel.scheduler.settled();
  const bodies = async (reader = ann) =>
    (await reader.call('listMessages', { params: { conversationId: general }, query: {} })).messages.map(({ body }) => body);
  const rows = (memberId: string) => kit.hub.kernel.store.rows('negotiations', { member_id: memberId });
  const task = async () =>
    (await ann.call('listTasks', { query: { state: 'all' } })).tasks.toSorted((a, b) => a.createdAt - b.createdAt).at(-1)!;
  const inbox = async (person: Person): Promise<Checkpoint[]> => (await person.call('listCheckpoints', { query: {} })).checkpoints;

  /** ann's request is at the service, and its task waits. */
  async function arranged(text = '^ORAC arrange dinner with @bob on Friday'): Promise<string> {
    await ann.post(general, text);
    await settled();
    return [...service.opened.keys()].at(-1)!;
  }
  async function asked(threadId: string): Promise<Checkpoint> {
    service.cards.set('prm_1', consent(threadId));
    await service.report(ann.id, { threadId, state: 'NEGOTIATING', prompts: [{ id: 'prm_1', kind: 'consent' }] });
    return (await inbox(ann))[0]!;
  }

  test('[A2C-34] it says what it understood, waits, and the outcome ends the same task', async () => {
    await start();
    const threadId = await arranged();
    expect((await bodies()).at(-1)).toBe(
      'I’ll arrange dinner on Friday with `@bob`: your peer asks theirs. I understood: dinner on Friday (read).',
    );
    expect(service.opened.get(threadId)).toMatchObject({
      memberId: ann.id,
      with: { memberId: bob.id, handle: 'bob' },
      intent: 'dinner on Friday',
      audience: '#general at Parley',
    });
    expect(await task()).toMatchObject({ state: 'awaiting_delegation' });
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true, outcome: 'Dinner on Friday at 19:00.' });
    await settled();
    expect((await bodies()).slice(-2)).toEqual(['Dinner on Friday at 19:00.', 'That’s settled.']);
    expect(await task()).toMatchObject({ state: 'completed', tainted: true });
    expect(await rows(ann.id)).toMatchObject([{ thread_id: threadId, state: 'COMPLETED', open: 0, outcome: 1 }]);
    // The report is repeated until it is stored: once more changes nothing.
    const facts = async () => (await kit.hub.kernel.store.rows('facts', { type: 'negotiation.changed' })).length;
    const before = await facts();
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true, outcome: 'Dinner on Friday at 19:00.' });
    expect([(await bodies()).length, await facts()]).toEqual([4, before]);
  });

  test('[A2C-20] a fork belongs to the work that opened its parent, and its outcome comes to the same channel', async () => {
    await start();
    const threadId = await arranged();
    await service.report(ann.id, { threadId: 'thr_games1', parentThreadId: threadId, state: 'INITIATED' });
    const [parent, fork] = await rows(ann.id);
    expect([fork!.task_id, fork!.chain_id]).toEqual([parent!.task_id, parent!.chain_id]);
    expect(await task()).toMatchObject({ state: 'awaiting_delegation' });
    // The task waits for the dinner, not for the games.
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true, outcome: 'Dinner on Friday at 19:00.' });
    await settled();
    expect(await task()).toMatchObject({ state: 'completed' });
    const declines = () => service.calls.filter(({ command }) => command === 'steer');
    expect(declines()).toEqual([]);
    await service.report(ann.id, {
      threadId: 'thr_games1',
      parentThreadId: threadId,
      state: 'COMPLETED',
      isEnded: true,
      outcome: 'Games at 21:00.',
    });
    await service.report(ann.id, {
      threadId: 'thr_games1',
      parentThreadId: threadId,
      state: 'COMPLETED',
      isEnded: true,
      outcome: 'Games at 21:00.',
    });
    await settled();
    expect((await bodies()).filter((body) => body === 'Games at 21:00.')).toHaveLength(1);
    // A fork of somebody else's negotiation, or of one that no task opened, belongs to no work; without an outcome nothing is posted.
    const before = (await bodies()).length;
    await service.report(bob.id, {
      threadId: 'thr_games1',
      parentThreadId: threadId,
      state: 'COMPLETED',
      isEnded: true,
      outcome: 'Games.',
    });
    await service.report(ann.id, { threadId: 'thr_games2', parentThreadId: 'thr_another', state: 'DECLINED', isEnded: true });
    expect((await rows(bob.id))[0]).toMatchObject({ task_id: null });
    expect((await bodies()).length).toBe(before);
  });

  test('[A2C-20] a task that is stopped ends its forks, and a later one joins nothing', async () => {
    await start();
    const threadId = await arranged();
    await service.report(ann.id, { threadId: 'thr_games1', parentThreadId: threadId, state: 'NEGOTIATING' });
    await ann.call('stopTask', { params: { taskId: (await task()).id } });
    await settled();
    await kit.hub.kernel.outbox.settled();
    const ended = service.calls
      .filter(({ command }) => command === 'steer')
      .map(({ argument }) => (argument as { threadId: string }).threadId);
    expect(ended.toSorted()).toEqual(['thr_games1', threadId].toSorted());
    await service.report(ann.id, { threadId: 'thr_games2', parentThreadId: threadId, state: 'INITIATED' });
    expect((await rows(ann.id)).find(({ thread_id }) => thread_id === 'thr_games2')).toMatchObject({ task_id: null });
  });

  test('[SYS-11] the other person does not learn the name of a private channel', async () => {
    await start();
    const { id } = await ann.call('createChannel', { body: { name: 'layoffs', visibility: 'private' } });
    const [orac] = await kit.hub.kernel.store.rows('members', { handle_fold: 'orac' });
    await ann.call('addToConversation', { params: { conversationId: id }, body: { memberId: orac!.id } });
    await ann.post(id, '^ORAC arrange dinner with @bob on Friday');
    await settled();
    expect([...service.opened.values()].at(-1)).toMatchObject({ audience: 'a private channel of 2 members at Parley' });
  });

  test.each(['DECLINED', 'EXPIRED', 'COMPLETED'])('[A2C-25] the end %s without an outcome says nothing of it', async (state) => {
    await start();
    const threadId = await arranged();
    await service.report(ann.id, { threadId, state, isEnded: true });
    await settled();
    expect((await bodies()).slice(-2)).toEqual([
      'The negotiation has ended. @ann finds its outcome under Negotiations.',
      'My part in this is done.',
    ]);
    expect(await task()).toMatchObject({ state: 'completed' });
  });

  test('[SYS-2] it moves the chain’s outer limit to 48 hours, as a fact; an urgent one does not', async () => {
    await start();
    const outer = async () => {
      const { chainId } = await task();
      const { startedAt, outerAt } = await ann.call('getChain', { params: { chainId } });
      return Math.round((outerAt - startedAt) / hour);
    };
    await arranged('^ORAC arrange dinner with @bob asap');
    expect([await outer(), await kit.hub.kernel.store.rows('facts', { type: 'chain.extended' })]).toEqual([24, []]);
    await ann.call('stopTask', { params: { taskId: (await task()).id } });
    await arranged();
    expect([await outer(), (await kit.hub.kernel.store.rows('facts', { type: 'chain.extended' })).length]).toEqual([48, 1]);
  });

  test('[A2C-22] [SYS-1] a prompt is a checkpoint for the person alone, in the peer’s words', async () => {
    await start();
    const admin = await kit.person('eve', 'admin');
    const { id } = await asked(await arranged());
    expect((await inbox(ann))[0]).toMatchObject({
      kind: 'consent',
      card: { kind: 'consent', peerName: 'bob', fields: [{ field: 'availability' }, {}] },
    });
    expect(await ann.call('getCheckpoint', { params: { checkpointId: id } })).toMatchObject({ card: { kind: 'consent' } });
    for (const other of [admin, bob, kit.owner, kit.operator]) {
      expect((await other.ask('getCheckpoint', { params: { checkpointId: id } })).status).toBe(404);
      expect((await other.ask('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'share' } })).status).toBe(404);
      expect((await other.ask('answerCheckpoint', { params: { checkpointId: id }, body: { kind: 'consent', fields: [] } })).status).toBe(
        404,
      );
    }
    expect(service.answers.size).toBe(0);
    expect(await inbox(kit.owner)).toEqual([]);
  });

  test('[A2C-22] an answer with content goes to the peer, and no word of it into the hub', async () => {
    await start();
    const { id } = await asked(await arranged());
    const answer: PromptAnswer = { kind: 'consent', fields: [{ field: 'area', answer: 'share', value: `${canary}-answer` }] };
    expect((await ann.ask('answerCheckpoint', { params: { checkpointId: id }, body: { kind: 'confirm' } })).status).toBe(400);
    expect(await ann.call('answerCheckpoint', { params: { checkpointId: id }, body: answer })).toMatchObject({
      open: false,
      choice: 'answered',
      already: false,
    });
    expect(service.answers.get('prm_1')).toEqual(answer);
    expect(await ann.call('answerCheckpoint', { params: { checkpointId: id }, body: answer })).toMatchObject({ already: true });
    // A report that was under way does not ask again.
    await service.report(ann.id, { threadId: [...service.opened.keys()][0]!, prompts: [{ id: 'prm_1', kind: 'consent' }] });
    expect(await inbox(ann)).toEqual([]);
  });

  test('[A2C-22] one tap shares what has a value, and declines the rest', async () => {
    await start();
    const { id, choices } = await asked(await arranged());
    expect(choices.map(({ label }) => label)).toEqual(['Share', 'Decline']);
    expect(
      (await ann.ask('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'approve' } })).body.error?.problems,
    ).toMatchObject([{ field: 'choice', message: 'must be one of share, decline' }]);
    await ann.call('closeCheckpoint', { params: { checkpointId: id }, body: { choice: 'share' } });
    expect(service.answers.get('prm_1')).toEqual({ kind: 'consent', fields: [{ field: 'availability', answer: 'share' }] });
  });

  test('[A2C-22] the first answer counts, whichever device it came from', async () => {
    await start();
    const { id } = await asked(await arranged());
    service.answers.set('prm_1', { kind: 'consent', fields: [] });
    const { status, body } = await ann.ask('answerCheckpoint', { params: { checkpointId: id }, body: { kind: 'consent', fields: [] } });
    expect([status, body.error?.code]).toEqual([409, 'already_answered']);
    expect(await inbox(ann)).toEqual([]);
  });

  test('[A2C-34] a service that does not answer leaves the inbox without words, not without the checkpoint', async () => {
    await start();
    const { id } = await asked(await arranged());
    service.refusal = new PeerCallError('unavailable', 'The worker stopped.');
    expect(await inbox(ann)).toMatchObject([{ id, card: null, text: 'Your peer asks what it may share.' }]);
  });

  test('[A2C-22] a prompt that the peer has withdrawn is not in the inbox, also before the report of it', async () => {
    await start();
    const { id } = await asked(await arranged());
    service.cards.delete('prm_1');
    expect(await inbox(ann)).toEqual([]);
    expect(await ann.call('getCheckpoint', { params: { checkpointId: id } })).toMatchObject({ id, card: null });
  });

  test('[SYS-14] when the person leaves, prompts are withdrawn and the peer goes off the line', async () => {
    await start();
    const threadId = await arranged();
    const { id } = await asked(threadId);
    await kit.owner.call('deactivateMember', { params: { memberId: ann.id } });
    await waitFor(() => expect(service.closed).toEqual([ann.id]));
    expect((await kit.hub.kernel.store.rows('checkpoints', { id }))[0]).toMatchObject({ open: 0, member_id: ann.id });
    expect([await inbox(kit.owner), await rows(ann.id)]).toMatchObject([[], [{ open: 0, state: 'WITHDRAWN' }]]);
    // A report that comes after it opens nothing.
    await service.report(ann.id, { threadId, prompts: [{ id: 'prm_2', kind: 'proposal' }] });
    expect(await kit.hub.kernel.store.rows('checkpoints', { open: 1 })).toEqual([]);
    expect(await service.hub!.isActive(ann.id)).toBe(false);
  });

  test('[A2C-34] a stopped task declines what is open, and its outcome is posted nowhere', async () => {
    await start();
    const threadId = await arranged();
    await ann.call('stopTask', { params: { taskId: (await task()).id } });
    await waitFor(() => expect(service.calls.at(-1)).toMatchObject({ command: 'steer', argument: { threadId, act: 'decline' } }));
    const before = (await bodies()).length;
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true, outcome: 'Dinner.' });
    expect((await bodies()).length).toBe(before);
  });

  test('[A2C-34] after a restart the task still waits, and the report ends it; a thread that nobody knows has failed', async () => {
    await start();
    const threadId = await arranged();
    await kit.restart();
    await service.report(ann.id, { threadId, state: 'COMPLETED', isEnded: true, outcome: 'Dinner.' });
    await settled();
    expect((await bodies()).slice(-2)).toEqual(['Dinner.', 'That’s settled.']);
    const lost = await arranged('^ORAC plan lunch with @bob');
    service.opened.delete(lost);
    await kit.restart();
    await settled();
    expect((await bodies()).at(-2)).toBe('The negotiation has ended. @ann finds its outcome under Negotiations.');
    expect((await rows(ann.id)).find(({ thread_id }) => thread_id === lost)).toMatchObject({ state: 'FAILED', open: 0 });
  });

  test.each([
    ['arrange dinner with bob', /could not read that/],
    ['plan something', /could not read that/],
    ['arrange dinner with @nobody', /Nobody here has that name/],
    ['arrange dinner with @ann', /That is you/],
    ['arrange dinner with @bob on Firday', /could not read the day in “on Firday”/],
  ])('[A2C-34] %s opens nothing', async (text, said) => {
    await start();
    await ann.post(general, `^ORAC ${text}`);
    await settled();
    expect([(await bodies()).at(-1), service.opened.size]).toEqual([expect.stringMatching(said), 0]);
  });

  test('[A2C-34] a service that refuses ends the request with its reason, and nothing waits', async () => {
    await start();
    service.refusal = new PeerCallError('refused', 'You blocked bob. Unblock them first.');
    await ann.post(general, '^ORAC arrange dinner with @bob');
    await settled();
    expect((await bodies()).at(-1)).toContain('You blocked bob.');
    expect([(await task()).state, (await rows(ann.id))[0]]).toMatchObject(['declined', { state: 'FAILED', open: 0 }]);
  });

  test('[A2C-34] a worker that dies after the peer’s commit leaves a living negotiation', async () => {
    await start();
    const open = () => ann.ask('openNegotiation', { body: { with: 'bob', intent: 'lunch' } });
    service.death = { isOpened: true, calls: 1 };
    expect((await open()).status).toBe(200);
    expect(await rows(ann.id)).toMatchObject([{ state: 'OPENING', open: 1 }]);
    // Nobody answers any more: it is decided when the service runs again.
    service.death = { isOpened: true, calls: 2 };
    expect((await open()).status).toBe(503);
    await service.hub!.restarted();
    expect((await rows(ann.id)).map(({ state }) => state)).toEqual(['OPENING', 'OPENING']);
    for (const threadId of service.opened.keys()) await service.report(ann.id, { threadId, state: 'NEGOTIATING' });
    expect((await rows(ann.id)).map(({ state, open: isOpen }) => [state, isOpen])).toEqual([
      ['NEGOTIATING', 1],
      ['NEGOTIATING', 1],
    ]);
  });

  test('[A2C-34] one that the peer never got fails when the worker is back, also while its turn runs', async () => {
    await start();
    service.death = { isOpened: false, calls: 2 };
    await ann.post(general, '^ORAC arrange dinner with @bob');
    await settled();
    expect(await rows(ann.id)).toMatchObject([{ state: 'OPENING', open: 1 }]);
    await service.hub!.restarted();
    expect(await rows(ann.id)).toMatchObject([{ state: 'FAILED', open: 0 }]);
    // The agent's turn goes on with it, and asks the peer as well.
    await settled();
    service.death = { isOpened: false, calls: 1 };
    expect((await ann.ask('openNegotiation', { body: { with: 'bob', intent: 'lunch' } })).status).toBe(503);
    expect((await rows(ann.id)).map(({ state }) => state)).toEqual(['FAILED', 'FAILED']);
  });
});
