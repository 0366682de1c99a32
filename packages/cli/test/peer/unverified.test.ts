import { expect, test } from 'vitest';
import { commands, eventsOf, exchangeAll, forge, latest, opened } from './negotiation-kit.ts';
import { newPerson, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';
import { write } from './spaces-kit.ts';

/** Ann has Bob's bare address; Bob has nothing of Ann. */
async function strangers(): Promise<[Person, Person]> {
  const relay = await startRelay();
  const [ann, bob] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob')];
  await ann.peer.add(bob.address);
  await commands(bob).setField({ field: 'dietary', value: 'none' });
  return [ann, bob];
}

/** Each has the other's card. */
async function acquainted(): Promise<[Person, Person]> {
  const relay = await startRelay();
  const [ann, bob] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob')];
  await ann.peer.add(bob.peer.card());
  await bob.peer.add(ann.peer.card());
  return [ann, bob];
}

const promptsOf = async (person: Person): Promise<string[]> => (await latest(person)).openPrompts.map(({ kind }) => kind);

test('[A2C-21] [A2C-34] nothing goes to or comes from somebody unverified before each person said so', async () => {
  const [ann, bob] = await strangers();
  const { id, packets } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await exchangeAll(ann, bob);
  expect([packets, await promptsOf(ann), await opened(bob)]).toEqual([0, ['stranger'], []]);
  await ann.close();
  await ann.open();
  expect(await promptsOf(ann)).toEqual(['stranger']);
  await expect(commands(ann).consent({ id, answers: [{ field: 'dietary', answer: 'share' }] })).rejects.toMatchObject({
    code: 'bad_input',
  });

  await commands(ann).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: true } });
  await exchangeAll(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context']);
  expect([await opened(ann), await promptsOf(bob)]).toEqual([[], ['stranger']]);
  await expect(commands(ann).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: false } })).rejects.toMatchObject({
    code: 'unknown_id',
  });

  await commands(bob).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: true } });
  bob.ahead += 301_000;
  await exchangeAll(ann, bob);
  const [answer] = await opened(ann);
  expect(JSON.stringify(answer)).not.toContain('"dietary":"none"');
  expect((await bob.peer.list())[0]).toMatchObject({ trust: 'unverified', stranger: false });
  expect(await eventsOf(ann)).toBe(0);
});

test('[A2C-34] somebody unverified who is ignored gets nothing, and the first answer counts', async () => {
  const [ann, bob] = await strangers();
  const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await commands(ann).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: true } });
  await exchangeAll(ann, bob);
  const [prompt] = (await latest(bob)).openPrompts;
  await commands(bob).answer({ promptId: prompt!.id, answer: { kind: 'answer_stranger', isOn: false } });
  await exchangeAll(ann, bob);
  expect([await opened(ann), await promptsOf(bob)]).toEqual([[], []]);
  expect((await bob.peer.list())[0]).toMatchObject({ stranger: true });
  await expect(commands(bob).answer({ promptId: prompt!.id, answer: { kind: 'answer_stranger', isOn: true } })).rejects.toMatchObject({
    code: 'answered',
  });
});

const proposal = {
  type: 'resolution',
  proposal_number: 1,
  after: null,
  confirmation_timeout: 'PT1H',
  on_timeout: 'expire',
};
const dinner = { summary: 'Dinner', details: { start: '2030-01-01T18:00Z', end: '2030-01-01T20:00Z' } };

test('[A2C-21] [A2C-34] a proposal of somebody unverified waits until the person let them negotiate', async () => {
  const [ann, bob] = await strangers();
  const words = { ...proposal, requires_confirmation_from: [ann.address, bob.address], proposal: dinner };
  await forge(ann, bob, undefined, { ...words, actions_on_confirm: [{ action: 'add_calendar_event', scope: 'own' }] });
  expect(await promptsOf(bob)).toEqual(['stranger']);
  const { id } = await latest(bob);
  await expect(commands(bob).confirm({ id, answer: { kind: 'confirm' } })).rejects.toMatchObject({ code: 'unknown_id' });
  await commands(bob).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: true } });
  expect(await promptsOf(bob)).toEqual(['proposal']);
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  expect(await latest(bob)).toMatchObject({ state: 'PROPOSED', isConfirmed: true });
});

test('[A2C-21] [A2C-34] nothing confirms a receipt of somebody unverified by itself', async () => {
  const [ann, bob] = await strangers();
  const receipt = { summary: 'Answers received', details: { answered: [], declined: [] } };
  const forged = { ...proposal, requires_confirmation_from: [ann.address, bob.address], proposal: receipt };
  await forge(ann, bob, undefined, { ...forged, _format_hints: undefined, intent: undefined, permissions: undefined });
  expect([await opened(ann), await promptsOf(bob)]).toEqual([[], ['stranger']]);
});

test('[A2C-34] one thread ID opens one negotiation, however often it is asked for', async () => {
  const relay = await startRelay();
  const [ann, bob] = [await newPerson(relay, 'ann'), await newPerson(relay, 'bob')];
  await ann.peer.add(bob.peer.card(), 'introduced');
  const opening = { threadId: 'thr_0123456789', audience: '#general at Acme' };
  for (let times = 0; times < 3; times += 1) await ann.negotiations.open(bob.address, 'Dinner on Friday', [], opening);
  await exchangeAll(ann, bob);
  const received = await opened(bob);
  expect(received.map(({ thread_id: id, context }) => [id, context?.['outcome_audience']])).toEqual([
    ['thr_0123456789', '#general at Acme'],
  ]);
  expect(await ann.peer.list()).toMatchObject([{ trust: 'introduced', stranger: false }]);
  // A card that brings the same key takes nothing back.
  expect(await ann.peer.add(bob.peer.card())).toMatchObject({ trust: 'introduced' });
});

/** Requests as no honest peer would send them, all at once. */
async function flood(from: Person, to: Person, requests: number): Promise<void> {
  for (let n = 0; n < requests; n += 1)
    await from.peer.write(to.address, {
      type: 'context',
      startsNew: true,
      members: { intent: { summary: `Request ${n}` }, needs: [{ field: 'dietary', priority: 'required' }] },
    });
  await exchangeAll(from, to);
}

const openPrompts = async (person: Person): Promise<string[]> =>
  (await commands(person).all()).flatMap(({ openPrompts: prompts }) => prompts.map(({ kind }) => kind));

test('[A2C-9] a stranger who floods has three open requests and one prompt, and one answer counts for all of them', async () => {
  const [ann, bob] = await strangers();
  await flood(ann, bob, 10);
  expect([await openPrompts(bob), (await commands(bob).negotiations()).length]).toEqual([['stranger'], 3]);
  const { id } = (await commands(bob).all()).find(({ openPrompts: prompts }) => prompts.length > 0)!;
  await commands(bob).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: false } });
  await flood(ann, bob, 4);
  expect([await openPrompts(bob), (await commands(bob).negotiations()).length, await opened(ann)]).toEqual([[], 3, []]);
});

test('[A2C-9] somebody known has three open requests until one is answered, and a block ends them without a word', async () => {
  const [ann, bob] = await acquainted();
  await flood(ann, bob, 5);
  expect(await openPrompts(bob)).toEqual(['consent', 'consent', 'consent']);
  const refusals = (await opened(ann)).map(({ type }) => type);
  expect(refusals).toEqual(['processing_error', 'processing_error']);
  const [first] = await commands(bob).all();
  await commands(bob).consent({ id: first!.id, answers: [{ field: 'dietary', answer: 'decline' }] });
  await flood(ann, bob, 2);
  expect(await openPrompts(bob)).toHaveLength(3);
  const before = (await opened(ann)).length;
  await commands(bob).block({ address: ann.address, isOn: true });
  await exchangeAll(bob, ann);
  expect([await openPrompts(bob), new Set((await commands(bob).negotiations()).map(({ state }) => state))]).toEqual([
    [],
    new Set(['DECLINED']),
  ]);
  expect([(await opened(ann)).length, await bob.store.list('outbox')]).toEqual([before, []]);
});

test('[A2C-9] a receipt that a peer’s own agent confirms is no answer of the person', async () => {
  const [ann, bob] = await acquainted();
  const receipt = { summary: 'Answers received', details: { answered: [], declined: [] } };
  const forged = { ...proposal, requires_confirmation_from: [ann.address, bob.address], proposal: receipt };
  for (let n = 0; n < 6; n += 1) {
    const { key } = await ann.peer.write(bob.address, { type: 'context', startsNew: true, members: {} });
    const row = (await ann.store.get('outbox', key))!.value as { text: string };
    const text = JSON.stringify({ ...(JSON.parse(row.text) as object), ...forged, _format_hints: undefined, permissions: undefined });
    await ann.store.commit([{ put: 'outbox', key, value: { ...row, text } }]);
    await exchangeAll(ann, bob);
  }
  expect(await bob.store.list('machine')).toHaveLength(3);
});

test('[A2C-9] [A2C-20] forks that the person let go on make room for requests', async () => {
  const [ann, bob] = await acquainted();
  await flood(ann, bob, 1);
  const { threadId } = await latest(bob);
  const ids = [0, 1, 2, 3].map((n) => `thr_a${n}0000000000`);
  const threads = ids.map((id) => ({ thread_id: id, intent: { category: 'other', summary: `Wider ${id}`, urgency: 'high' } }));
  await forge(ann, bob, threadId, { type: 'thread_fork', parent_thread_id: threadId, new_threads: threads, shared_context: {} });
  for (const promptId of ids) await commands(bob).answer({ promptId, answer: { kind: 'go_on' } });
  const before = (await commands(bob).negotiations()).length;
  await flood(ann, bob, 1);
  expect((await commands(bob).negotiations()).length).toBe(before + 1);
});

test('[A2C-9] [A2C-20] an answer is one for the negotiation it was given in, not for what somebody splits off from it', async () => {
  const [ann, bob] = await acquainted();
  await flood(ann, bob, 1);
  const { id } = await latest(bob);
  await commands(bob).consent({ id, answers: [{ field: 'dietary', answer: 'decline' }] });
  await exchangeAll(ann, bob);
  const fork = async (parent: string, letter: string, length = 8): Promise<void> => {
    const threads = Array.from({ length }, (_, n) => ({
      thread_id: `thr_${letter}${n}0000000000`,
      intent: { category: 'other', summary: `Wider ${letter}${n}`, urgency: 'high' },
    }));
    // A thread that her own peer never opened.
    const [known] = await ann.store.list('negotiation');
    const value = { ...(known!.value as object), threadId: parent, sent: {}, received: [] };
    if (parent !== id) await ann.store.commit([{ put: 'negotiation', key: `${bob.address}/${parent}`, value }]);
    await forge(ann, bob, parent, { type: 'thread_fork', parent_thread_id: parent, new_threads: threads, shared_context: {} });
  };
  await fork(id, 'a');
  for (const n of [0, 1, 2]) await fork(`thr_a${n}0000000000`, 'bcd'[n]!);
  const asked = (await openPrompts(bob)).length;
  expect([asked, (await commands(bob).negotiations()).length]).toEqual([8, 9]);
  // What the person lets go on makes room for as much.
  await commands(bob).answer({ promptId: 'thr_a00000000000', answer: { kind: 'go_on' } });
  await fork('thr_a10000000000', 'e', 1);
  await fork('thr_a10000000000', 'f', 1);
  expect((await commands(bob).negotiations()).length).toBe(10);
});

test('[A2C-9] [A2C-33] a block leaves the spaces of somebody in which the person never wrote', async () => {
  const [ann, bob] = await acquainted();
  const made = [];
  for (let n = 0; n < 5; n += 1)
    made.push(await commands(ann).createSpace({ name: `Trip ${n}`, people: [{ with: { address: bob.address }, may: 'full-write' }] }));
  await exchangeAll(ann, bob);
  const names = async () => (await commands(bob).spaces()).map(({ name }) => name).toSorted();
  expect(await names()).toHaveLength(5);
  await write(bob, made[1]!.id, { hotel: 'Ritz' });
  const own = await commands(bob).createSpace({ name: 'Own', people: [{ with: { address: ann.address }, may: 'full-write' }] });
  await commands(bob).block({ address: ann.address, isOn: true });
  expect(await names()).toEqual([own.name, 'Trip 1']);
  expect(await bob.store.list('outbox')).toEqual([]);
});
