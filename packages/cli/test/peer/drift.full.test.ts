import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf, rulesBrain } from '@parley/peer';
import type { OwnPeerCalls } from '@parley/protocol';
import { agree } from './agreeing-person.ts';
import { killedAfter, killedUntilQuiet } from './killed-peers.ts';
import { commands, dinnerPair, eventsOf, exchangeAll, opened, untilPrompt, untilProposal } from './negotiation-kit.ts';
import { newGroup, untilGroupProposal } from './group-kit.ts';
import type { Person } from './people-kit.ts';

/** As it is on disk: a look over the relay would do the work of a process that is killed. */
const stored = ({ link, negotiations }: Person): OwnPeerCalls => callsOf(link, (act) => act(), negotiations);
const statesOf = (people: Person[], id: string): Promise<string[]> =>
  Promise.all(people.map(async (person) => (await commands(person).show(id)).state));

test('[A2C-19] a person keeps it as it was, and both are back there', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(ann).changeIntent({ threadId: id, intent: 'Weekend in Paris, dinner on Friday' });
  await exchangeAll(ann, bob);
  await commands(bob).answer({ promptId: id, answer: { kind: 'keep_intent' } });
  await exchangeAll(ann, bob);
  const [hers, his] = [await commands(ann).show(id), await commands(bob).show(id)];
  // For Ann it is narrower than her own words: nobody asks her.
  expect([hers.intent, his.intent, hers.openPrompts.map(({ kind }) => kind)]).toEqual([
    'Dinner on Friday',
    'Dinner on Friday',
    ['proposal'],
  ]);
  // They are still the words of the one who asked.
  expect((await bob.negotiations.find(id)).intentBy).toBe('peer');
  await expect(commands(bob).answer({ promptId: id, answer: { kind: 'go_on' } })).rejects.toThrow('asks nothing about a wider scope');
});

test('[A2C-19] [A2C-20] words that name nothing to arrange neither change nor split it', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const refusal = '“Movie on Sunday” names no meeting that your peer can arrange. Use one of these words: dinner, lunch';
  await expect(commands(ann).negotiate({ address: bob.address, intent: 'Movie on Sunday', needs: [] })).rejects.toThrow(refusal);
  await expect(commands(ann).changeIntent({ threadId: id, intent: 'Movie on Sunday' })).rejects.toThrow(refusal);
  await expect(commands(ann).split({ id, into: ['Movie on Sunday'] })).rejects.toThrow(refusal);
  await expect(commands(ann).split({ id, into: ['Games on Sunday'], rest: 'Movie on Sunday' })).rejects.toThrow(refusal);
  expect(await commands(ann).show(id)).toMatchObject({ state: 'PROPOSED', intent: 'Dinner on Friday', forks: [] });
  // A question needs no meeting.
  const needs = [{ field: 'phone_number', priority: 'required' as const }];
  expect(await commands(ann).changeIntent({ threadId: id, intent: 'Your phone number', needs })).toMatchObject({
    intent: 'Your phone number',
  });
});

test('[A2C-19] a person ends what has become too much', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(bob).changeIntent({ threadId: id, intent: 'Game night with ten friends' });
  await exchangeAll(ann, bob);
  await commands(ann).answer({ promptId: id, answer: { kind: 'decline' } });
  await exchangeAll(ann, bob);
  expect(await statesOf([ann, bob], id)).toEqual(['DECLINED', 'DECLINED']);
});

test('[A2C-19] [A2C-21] [SYS-13] a consent for a dinner does not show the value to the brain for a wider scope, until the person goes on', async () => {
  const [ann, bob] = await dinnerPair();
  const views: string[] = [];
  ann.brain = (view) => {
    views.push(`${view.intent.summary} (${view.intentBy}): ${JSON.stringify(view.visible)}`);
    return rulesBrain(view);
  };
  const id = await untilProposal(ann, bob);
  expect(views.join()).toMatch(/Dinner on Friday \(own\): .*Italian/);
  views.length = 0;
  await commands(bob).changeIntent({ threadId: id, intent: 'A trip with dinner for two weeks' });
  await exchangeAll(ann, bob);
  expect(views).toEqual([]);
  expect((await commands(ann).show(id)).openPrompts).toMatchObject([
    { kind: 'expansion', shared: expect.arrayContaining(['cuisine_preference']) },
  ]);
  await expect(commands(ann).consent({ id, answers: [{ field: 'budget', answer: 'share', value: 1 }] })).rejects.toThrow(
    'Decide first whether it goes on',
  );
  await commands(ann).answer({ promptId: id, answer: { kind: 'go_on' } });
  expect(views[0]).toMatch(/^A trip with dinner for two weeks \(peer\): .*Italian/);
});

test('[A2C-19] [A2C-24] the person who changes it states values in their own words only', async () => {
  const [ann, bob] = await dinnerPair();
  for (const person of [ann, bob])
    for (const field of ['event_type', 'proposed_date']) await commands(person).setTier({ field, tier: 'ask_first' });
  const id = await untilProposal(ann, bob);
  await commands(bob).changeIntent({ threadId: id, intent: 'Lunch on Saturday' });
  await exchangeAll(ann, bob);
  const update = (await opened(ann)).find(({ type }) => type === 'intent_update');
  expect(update).toMatchObject({ context: { event_type: 'lunch' }, previous_intent: { summary: 'Dinner on Friday' } });
  await commands(ann).answer({ promptId: id, answer: { kind: 'go_on' } });
  await exchangeAll(ann, bob);
  const { proposal, state } = await commands(ann).show(id);
  expect([state, proposal!.details['event_type'], proposal!.summary]).toEqual(['PROPOSED', 'lunch', expect.stringContaining('Saturday')]);
});

test('[A2C-19] a change before the first packet opens it with the new words', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(ann).confirm({ id, answer: { kind: 'decline' } });
  // Her usual answers are asked for before the first packet.
  const second = (await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Saturday', needs: [] })).id;
  expect((await commands(ann).show(second)).packets).toBe(0);
  await commands(ann).changeIntent({ threadId: second, intent: 'Lunch on Saturday' });
  await exchangeAll(ann, bob);
  expect((await opened(bob)).filter(({ type }) => type === 'intent_update')).toEqual([]);
  expect((await commands(ann).show(second)).intent).toBe('Lunch on Saturday');
});

test('[A2C-20] a fork about something else asks the other person first, and inherits what was declined', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  // Ann declined her transport mode.
  const { forks } = await commands(bob).split({ id, into: ['Drinks on Sunday', 'Lunch on Sunday'] });
  await exchangeAll(ann, bob);
  expect(forks).toHaveLength(2);
  for (const fork of forks) {
    const shown = await commands(ann).show(fork);
    expect(shown.openPrompts).toMatchObject([{ kind: 'expansion', before: 'Dinner on Friday', isFork: true }]);
    expect(shown.role).toBe('initiator');
  }
  await expect(commands(ann).answer({ promptId: forks[1]!, answer: { kind: 'keep_intent' } })).rejects.toThrow('never about anything else');
  await commands(ann).answer({ promptId: forks[1]!, answer: { kind: 'go_on' } });
  await exchangeAll(ann, bob);
  expect(await statesOf([ann, bob], forks[1]!)).toEqual(['PROPOSED', 'PROPOSED']);
  expect((await commands(bob).show(forks[1]!)).prompts + (await commands(ann).show(forks[1]!)).prompts).toBe(0);
  const asked = (await opened(ann)).filter(({ thread_id: thread }) => thread === forks[1]);
  expect(JSON.stringify(asked.map(({ needs }) => needs))).not.toContain('transport_mode');
});

test('[A2C-20] [A2C-22] the proposal of a fork is asked after its scope: one question at a time', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const { forks } = await commands(ann).split({ id, into: ['Drinks on Sunday', 'Lunch on Sunday'] });
  await exchangeAll(ann, bob);
  for (const fork of forks) {
    const shown = await commands(bob).show(fork);
    // What was asked in the dinner is no further wish.
    expect([shown.state, shown.openPrompts]).toMatchObject(['PROPOSED', [{ kind: 'expansion', asked: [] }]]);
    await expect(commands(bob).confirm({ id: fork, answer: { kind: 'confirm' } })).rejects.toThrow('Decide first whether it goes on');
  }
  const [drinks, lunch] = forks as [string, string];
  await commands(bob).answer({ promptId: drinks, answer: { kind: 'go_on' } });
  expect((await commands(bob).show(drinks)).openPrompts).toMatchObject([{ kind: 'proposal' }]);
  await commands(bob).answer({ promptId: lunch, answer: { kind: 'decline' } });
  for (const person of [bob, ann]) await commands(person).confirm({ id: drinks, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  expect([await statesOf([ann, bob], drinks), await statesOf([ann, bob], lunch)]).toEqual([
    ['COMPLETED', 'COMPLETED'],
    ['DECLINED', 'DECLINED'],
  ]);
});

test('[A2C-17] [A2C-20] a field that is declined after the split is not asked again in the fork', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  const { forks } = await commands(ann).split({ id, into: ['Friday dinner'] });
  await exchangeAll(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'cuisine_preference', answer: 'share' }] });
  await exchangeAll(ann, bob);
  // Bob's brain wants to know in the fork what was declined and given in the parent.
  let wants = true;
  bob.brain = async (view) => {
    if (view.siblings.length === 0 || !wants) return { kind: 'wait' };
    wants = false;
    const needs = ['transport_mode', 'cuisine_preference', 'budget'].map((field) => ({ field, priority: 'helpful' as const }));
    return { kind: 'send', type: 'context_request', content: { needs } };
  };
  await commands(bob).show(forks[0]!);
  const record = await bob.negotiations.find(forks[0]!);
  expect(record.machine.state).not.toBe('DECLINED');
  await commands(bob).steer({ threadId: forks[0]!, act: 'continue' });
  await exchangeAll(ann, bob);
  const packet = (await opened(ann)).find(({ thread_id: thread, type }) => thread === forks[0] && type === 'context_request');
  expect(packet!.needs!.map(({ field }) => field)).toEqual(['budget']);
  expect((await commands(bob).show(forks[0]!)).received['cuisine_preference']).toBe('Italian');
});

test('[A2C-20] crossing forks, a fork of a fork, and each refusal in words', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(ann).split({ id, into: ['Drinks on Friday'] });
  await bob.negotiations.peer.inTurn(async () => {});
  await commands(bob).split({ id, into: ['Coffee on Friday'] });
  await exchangeAll(ann, bob);
  const [hers, his] = [await commands(ann).show(id), await commands(bob).show(id)];
  expect(hers.forks.toSorted()).toEqual(his.forks.toSorted());
  expect(hers.forks).toHaveLength(2);
  const { forks: second } = await commands(ann).split({ id: hers.forks[0]!, into: ['Friday drinks'] });
  await exchangeAll(ann, bob);
  expect((await commands(bob).show(second[0]!)).parent).toBe(hers.forks[0]);
  await expect(commands(ann).split({ id: second[0]!, into: ['Drinks'] })).rejects.toThrow(
    'it is a fork of a fork. Open a new negotiation.',
  );
  await expect(commands(ann).split({ id, into: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => `Call ${one}`) })).rejects.toThrow(
    'it was split 8 times already',
  );
  await expect(commands(ann).split({ id, into: [] })).rejects.toThrow('into names 1 to 8');
  await expect(commands(ann).changeIntent({ threadId: id, intent: ' ' })).rejects.toThrow('intent needs 1 to 500 characters');
  await expect(commands(ann).changeIntent({ threadId: id, intent: 'Dinner on Friday' })).rejects.toThrow('it is about that already');
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await expect(commands(bob).changeIntent({ threadId: id, intent: 'Lunch' })).rejects.toThrow('you confirmed the proposal');
  await commands(ann).confirm({ id, answer: { kind: 'decline' } });
  await expect(commands(ann).split({ id, into: ['Lunch'] })).rejects.toThrow('it is DECLINED. Open a new negotiation.');
});

test('[A2C-20] a peer without forks is not sent one, and a group is not split', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  const known = await ann.peer.peer(bob.address);
  await ann.store.commit([{ put: 'peer', key: bob.address, value: { ...known, capabilities: { ...known.capabilities!, features: [] } } }]);
  await expect(commands(ann).split({ id, into: ['Games on Friday'] })).rejects.toThrow('cannot split a negotiation');
  const people = await newGroup('ann', 'bob', 'cem');
  const group = await untilGroupProposal(people);
  for (const person of people.slice(0, 2)) {
    await expect(commands(person).split({ id: group, into: ['Games'] })).rejects.toThrow('more than two people take part');
    await expect(commands(person).changeIntent({ threadId: group, intent: 'Lunch on Friday' })).rejects.toThrow(
      'more than two people take part',
    );
  }
});

test('[A2C-20] a packet of a fork that comes before the split is adopted by its parent', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const { forks } = await commands(ann).split({ id, into: ['Drinks on Friday'] });
  await exchangeAll(ann, bob);
  const [fork] = forks as [string];
  // As if the line had lost the first of the two packets: the fork is not there, and its proposal comes.
  const packet = (await opened(bob)).find(({ thread_id: thread }) => thread === fork)!;
  expect(packet).toMatchObject({ parent_thread_id: id, intent: { summary: 'Drinks on Friday' } });
  const parent = await bob.negotiations.find(id);
  const { forks: _, ...machine } = parent.machine;
  await bob.store.commit([
    { remove: 'machine', key: `${ann.address}/${fork}` },
    { put: 'machine', key: `${ann.address}/${id}`, value: { ...parent, machine } },
  ]);
  await bob.close();
  await bob.open();
  await bob.peer.inTurn(async () => {
    const { staging } = await bob.negotiations.desk(ann.address);
    await bob.peer.onPacket!(staging, { peer: await bob.peer.peer(ann.address), packet } as never);
    await bob.store.commit(staging.changes);
  });
  const adopted = await commands(bob).show(fork);
  expect([adopted.state, adopted.parent, adopted.received['dietary']]).toEqual(['PROPOSED', id, 'vegetarian']);
  expect((await commands(bob).show(id)).forks).toEqual([fork]);
});

test('[A2C-20] a fork that crosses the agreement about its parent goes on, and stalls nowhere', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  expect((await commands(ann).show(id)).state).toBe('EXECUTING');
  // Bob has not looked since, and splits something off.
  const forks = (await stored(bob).fork({ threadId: id, into: ['Dinner'] })).slice(1).map(({ threadId }) => threadId);
  await exchangeAll(ann, bob);
  expect(await statesOf([ann, bob], id)).toEqual(['COMPLETED', 'COMPLETED']);
  expect((await commands(ann).show(id)).forks).toEqual(forks);
  expect(await statesOf([ann, bob], forks[0]!)).toEqual(['PROPOSED', 'PROPOSED']);
});

test('[A2C-19] [A2C-20] what a person has not agreed to yet is no agreed scope for a fork', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(bob).changeIntent({ threadId: id, intent: 'Dinner on Friday, a trip with dinner for two weeks' });
  const { forks } = await commands(bob).split({ id, into: ['A trip with dinner for two weeks', 'Dinner'] });
  await exchangeAll(ann, bob);
  const [trip, dinner] = await Promise.all(forks.map((fork) => commands(ann).show(fork)));
  expect(trip!.openPrompts).toMatchObject([{ kind: 'expansion', before: 'Dinner on Friday', isFork: true }]);
  expect((await opened(bob)).filter(({ thread_id: thread }) => thread === forks[0])).toEqual([]);
  expect(dinner!.openPrompts.filter(({ kind }) => kind === 'expansion')).toEqual([]);
});

test('[A2C-20] nothing is split off from what has ended: its consents give nothing more', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const last = (await opened(ann)).find(({ thread_id: thread }) => thread === id)!;
  await commands(ann).confirm({ id, answer: { kind: 'decline' } });
  const head = { protocol: last.protocol, from: last.from, to: last.to, timestamp: last.timestamp };
  const intent = { summary: 'Dinner on Friday' };
  const packet = { ...head, type: 'context', packet_id: 'pkt_again', thread_id: 'thr_again', parent_thread_id: id, intent };
  await ann.peer.inTurn(async () => {
    const { staging } = await ann.negotiations.desk(bob.address);
    await ann.peer.onPacket!(staging, { peer: await ann.peer.peer(bob.address), packet } as never);
    await ann.store.commit(staging.changes);
  });
  await expect(commands(ann).show('thr_again')).rejects.toThrow('There is no negotiation');
});

test('[A2C-20] [A2C-34] kill -9 of a peer after every step of a change and a split: both sides have the same', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(ann).changeIntent({ threadId: id, intent: 'Friday dinner' });
  const { forks } = await commands(ann).split({ id, into: ['Drinks on Friday at 21:00'], rest: 'Dinner on Friday at 18:00' });
  const marks = join(bob.folder, 'marks');
  await writeFile(marks, '');
  const isDone = async (): Promise<boolean> =>
    (await Promise.all([id, ...forks].flatMap((one) => [ann, bob].map((person) => stored(person).negotiation({ threadId: one }))))).every(
      ({ state }) => state === 'COMPLETED',
    );
  for (let rounds = 0; rounds < 8 && !(rounds > 0 && (await isDone())); rounds += 1) {
    await killedUntilQuiet(bob, marks);
    await agree(commands(ann));
  }
  await exchangeAll(ann, bob);
  // Packets that come together are one commit, so the number of kills varies; each of these steps has one.
  const steps = await killedAfter(marks);
  for (const step of ['intent_update', 'thread_fork', 'resolution', 'resolution_outcome confirmed', 'execution_report done'])
    expect(steps).toContain(`received ${step} from ${ann.address}`);
  for (const step of ['resolution_response confirmed', 'execution_report done'])
    expect(steps).toContain(`waiting ${step} to ${ann.address}`);
  for (const thread of [id, ...forks]) expect(await statesOf([ann, bob], thread)).toEqual(['COMPLETED', 'COMPLETED']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([2, 2]);
});
