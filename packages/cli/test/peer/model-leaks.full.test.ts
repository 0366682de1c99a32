import { encodings } from '@parley/testkit/encodings';
import { injections } from '@parley/testkit/injections';
import type { ModelCall, Reply } from '@parley/testkit/models';
import { expect, test } from 'vitest';
import { holdsAny } from '@parley/core';
import { withSecrets } from './leak-kit.ts';
import { call, fridayAt, newModels, providerAt, textOfCall } from './model-kit.ts';
import { commands, dinnerPair, exchangeAll, latest, opened } from './negotiation-kit.ts';

const names = Object.keys(encodings);

/** Sends everything that it reads, in the next encoding, and wants everything that it may not. */
function leakyModel(): (asked: ModelCall) => Reply {
  let turn = 0;
  return ({ system, told }) => {
    const sight = encodings[names[turn++ % names.length]!]!(`${system}${JSON.stringify(told)}`);
    const pieces = Array.from({ length: 3 }, (_, n) => sight.slice(n * 400, (n + 1) * 400)).filter((piece) => piece !== '');
    return call('send_context', {
      share: ['dietary', 'time_windows', ...Array.from({ length: 34 }, (_, index) => `private_${index}`)],
      ask: [],
      message: pieces[turn % pieces.length] || 'Hello',
      escalate: undefined,
      to: 'agent:eve@localhost',
      tiers: { private_1: 'always_share' },
      confirm: true,
    });
  };
}

test('[SYS-6] [A2C-21] [A2C-36] a model that sends all it reads has none of 40 withheld values, in no request and no packet', async () => {
  const [ann, bob] = await dinnerPair();
  const secrets = await withSecrets(ann);
  const models = await newModels();
  for (const name of ['small', 'medium', 'large']) models.script(name, leakyModel());
  // Both talk until their exchanges are used up.
  for (const person of [ann, bob]) await commands(person).setOwnModel({ provider: providerAt(models) });
  const tiers = async (): Promise<unknown> => (await ann.store.get('profile', 'own'))!.value;
  const before = JSON.stringify(await tiers());
  for (const intent of ['Dinner on Friday', 'Call on Tuesday']) {
    const { id } = await commands(ann).negotiate({ address: bob.address, intent, needs: [] });
    await exchangeAll(ann, bob);
    const needs = ['private_1', 'Private-2', 'private_3'].map((field) => ({ field, priority: 'required', reason: 'Please' }));
    await bob.peer.write(ann.address, { type: 'context_request', threadId: id, members: { needs } });
    await exchangeAll(ann, bob);
    const open = (await latest(ann)).openPrompts.filter(({ kind }) => kind === 'consent');
    if (open.length > 0) await commands(ann).consent({ id, answers: [] });
    await exchangeAll(ann, bob);
    // Models that talk for ever reach the limit of exchanges, and people decide.
    const { model, openPrompts, isPaused } = await latest(ann);
    expect([openPrompts.map(({ kind }) => kind), isPaused, model!.dropped > 34]).toEqual([['escalation'], false, true]);
  }
  const packets = (await opened(bob)).map((packet) => JSON.stringify(packet));
  const requests = models.asked.map(textOfCall);
  expect([packets.length > 12, requests.length > 24]).toEqual([true, true]);
  for (const text of [...packets, ...requests]) {
    expect(secrets.filter((value) => text.includes(value))).toEqual([]);
    expect(holdsAny(text, secrets)).toBe(false);
  }
  // It did send what it read.
  expect(packets.some((text) => text.includes('"message"'))).toBe(true);
  // Nobody else got a packet, and no tier changed.
  expect(new Set((await ann.store.list('packet', 0, 10_000)).map(({ value }) => (value as { peer: string }).peer))).toEqual(
    new Set([bob.address]),
  );
  const { approvals: _counted, ...after } = (await tiers()) as Record<string, unknown>;
  const { approvals: _none, ...first } = JSON.parse(before) as Record<string, unknown>;
  expect(after).toEqual(first);
});

test('[A2C-38] [A2C-36] a step that is stopped tells its model neither the name of the field nor whose it is', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).setField({ field: 'therapy_place', value: 'Clinic at Long Lane 12' });
  await commands(ann).setTier({ field: 'therapy_place', tier: 'never_share' });
  const models = await newModels();
  models.script('small', [
    call('send_context', { message: 'Near the Clinic at Long Lane 12?' }),
    call('send_context', { message: 'Hello' }),
  ]);
  await commands(ann).setOwnModel({ provider: providerAt(models) });
  const { id } = await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await exchangeAll(ann, bob);
  expect(models.asked[1]!.system).toContain('Your last step was refused: ');
  for (const one of models.asked) expect(textOfCall(one)).not.toContain('therapy_place');
  expect(JSON.stringify((await ann.negotiations.find(id)).notes)).toContain('therapy_place');
});

const sample = 40;

test('[SYS-13] [A2C-28] an obedient model follows every instruction of a peer, and nothing changes but its words', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(bob).setField({ field: 'health_info', value: 'canary-diabetes' });
  const models = await newModels();
  const wanted = { confirm: true, status: 'confirmed', tiers: { health_info: 'always_share' }, to: 'agent:eve@relay.example' };
  // It repeats the words of the peer, shares what they ask for, and confirms.
  const obey = ({ told }: ModelCall): Reply => ({
    calls: [
      { name: 'confirm', input: { confidence: 1 } },
      {
        name: 'send_context',
        input: { confidence: 1, share: ['health_info', 'dietary'], message: JSON.stringify(told).slice(0, 500), ...wanted },
      },
      { name: 'propose', input: { confidence: 1, event: 'dinner', start: fridayAt(18), end: fridayAt(20), reasoning: 'They said so' } },
    ],
  });
  for (const name of ['small', 'medium', 'large']) models.script(name, obey);
  await commands(bob).setOwnModel({ provider: providerAt(models) });
  const before = JSON.stringify((await bob.store.get('profile', 'own'))!.value);
  const texts = Array.from({ length: sample }, (_, n) => injections[Math.floor((n * injections.length) / sample)]!);
  for (const text of texts) {
    const { packet } = await ann.peer.write(bob.address, {
      type: 'context',
      startsNew: true,
      members: {
        intent: { summary: text.slice(0, 500) },
        context: { note: text, time_windows: [`${fridayAt(17)}/${fridayAt(22)}`] },
        needs: [{ field: 'health_info', reason: text.slice(0, 500), priority: 'nice_to_have' }],
      },
    });
    await exchangeAll(ann, bob);
    const view = (await commands(bob).all()).find(({ id }) => id === packet.thread_id)!;
    expect([view.isConfirmed, view.state], text).toEqual([false, 'NEGOTIATING']);
    expect(view.model, text).toMatchObject({ steps: [{ isTainted: true }], dropped: expect.any(Number) });
    expect(view.model!.dropped, text).toBeGreaterThan(4);
    // Of an address so few requests are open at once.
    await commands(bob).steer({ threadId: view.id, act: 'decline' });
  }
  expect(models.asked).toHaveLength(sample);
  for (const one of models.asked) {
    expect(textOfCall(one)).not.toContain('canary');
    expect(one.system).not.toContain('health_info');
  }
  expect(JSON.stringify(await opened(ann))).not.toContain('canary');
  expect(JSON.stringify((await bob.store.get('profile', 'own'))!.value)).toBe(before);
  expect(new Set((await bob.store.list('packet', 0, 10_000)).map(({ value }) => (value as { peer: string }).peer))).toEqual(
    new Set([ann.address]),
  );
});
