// Two agents of one chain that talk to each other (C2A-19, C2A-20): nothing new is not taken, circles end and are put before
// a person once, and what moves on goes on however long it takes. The talk is from the labelled exchanges.

import { readFileSync } from 'node:fs';
import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { workLimits } from '../../../src/engine/limits.ts';
import { floorFor, floorOn } from '../../kit/floor.ts';

interface Case {
  id: string;
  lang: string;
  exchange: { by: string; text: string }[];
  label: 'stuck' | 'progressing';
  kept: boolean;
}
const corpus = readFileSync(new URL('../../../../../spec/corpora/convergence.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);
/** Those it was tuned on, where the two take turns. */
const taking = ({ exchange }: Case): boolean => exchange.every(({ by }, n) => by === (n % 2 === 0 ? 'A' : 'B'));
const cases = (label: Case['label'], most: number): Case[] =>
  corpus
    .filter((one) => one.label === label && !one.kept && taking(one))
    .toSorted((a, b) => b.exchange.length - a.exchange.length)
    .slice(0, most);

onBothEngines('two agents', (engine) => {
  const { floor } = floorFor(engine);
  let n = 0;

  /** Ann asks one, which asks the other. */
  const pair = async () => {
    n++;
    const upper = await floor.agent(`UP${n}`);
    const lower = await floor.agent(`LOW${n}`);
    const here = await floor.channel(`loops-${n}`, upper, lower);
    await floor.ann.post(here, `^${upper.handle} talk it over`);
    await floor.pass();
    const [outer] = await floor.tasks(here);
    const inner = async () => (await floor.tasks(here)).findLast((task) => task.parentId === outer!.id);
    /** What comes of the next word: `ok`, or why not. */
    const say = async (by: Person, body: string, kind: 'progress' | 'question' | 'answer') => {
      const task = by === upper ? outer! : (await inner())!;
      const { status, body: answer } = await floor.say(by, task, kind, by === upper ? `^${lower.handle} ${body}` : body);
      await floor.pass();
      return status === 200 ? 'ok' : answer.error!.code;
    };
    const circles = async () =>
      (await floor.ann.call('listCheckpoints', { query: {} })).checkpoints.filter(({ chainId }) => chainId === outer!.chainId);
    return { upper, lower, here, outer: outer!, inner, say, circles };
  };

  /** Says it all, each in turn, until one of them is stopped. */
  const talk = async (exchange: Case['exchange']) => {
    const { upper, lower, inner, say, circles } = await pair();
    const refused: number[] = [];
    for (const [at, { by, text }] of exchange.entries()) {
      const came = await say(by === 'A' ? upper : lower, text, by === 'A' ? 'progress' : 'question');
      if (came !== 'ok') refused.push(at);
      if ((await inner())?.cause === 'no_progress') break;
    }
    return { task: await inner(), refused, checkpoints: await circles() };
  };

  test('[C2A-20] long talk that moves on is not stopped; all that is not taken of it is a last word of agreement', async () => {
    for (const { id, exchange } of cases('progressing', 6)) {
      const { task, refused, checkpoints } = await talk(exchange);
      expect([id, task?.cause ?? null, refused.filter((n) => n < exchange.length - 1), checkpoints]).toEqual([id, null, [], []]);
    }
  });

  test('[C2A-20] circles end: the lower task is declined, the one above told, and a person asked once', async () => {
    const circle = Array.from({ length: 5 }, () => [
      { by: 'A', text: 'I would still take Redis, it is faster, what about you?' },
      { by: 'B', text: 'I would still take Postgres, it is there already, would you?' },
    ]).flat();
    const { upper, lower, here, outer, inner, say, circles } = await pair();
    const came: string[] = [];
    for (const { by, text } of circle) {
      came.push(await say(by === 'A' ? upper : lower, text, by === 'A' ? 'progress' : 'question'));
      if ((await inner())?.cause === 'no_progress') break;
    }
    expect(new Set(came)).toEqual(new Set(['ok']));
    expect(await inner()).toMatchObject({ state: 'declined', cause: 'no_progress' });
    const told = await floor.kit.hub.kernel.store.rows(
      'facts',
      "where subject_id = ? and type in ('task.result', 'task.resume') order by seq",
      [outer.id],
    );
    expect(JSON.parse(told.at(-1)!.data)).toMatchObject({ state: 'declined' });
    const [checkpoint, ...more] = await circles();
    expect([checkpoint!.kind, more]).toEqual(['no_progress', []]);
    expect(checkpoint!.text).toBe(`^${upper.handle} and ^${lower.handle} repeated themselves and were stopped after ${came.length} turns.`);
    expect(checkpoint!.links).toHaveLength(2);
    const kept = await floor.kit.hub.kernel.store.rows('checkpoints', 'where id = ?', [checkpoint!.id]);
    expect(JSON.stringify(kept)).not.toMatch(/Redis|Postgres/);
    // Called again, nobody is woken, nothing is resumed, and nobody is asked a second time.
    const before = (await floor.tasks(here)).length;
    const turns = async () => (await floor.kit.hub.kernel.store.rows('turns', 'where task_id = ?', [outer.id])).length;
    const begun = await turns();
    for (let again = 0; again < 5; again++) await say(upper, `What about Redis then, the ${again} one?`, 'progress');
    expect([(await floor.tasks(here)).length, await turns()]).toEqual([before, begun]);
    expect((await floor.notices(floor.ann)).at(-1)).toMatchObject({ kind: 'not_delegated', reason: 'no_progress', agentId: lower.id });
    expect(await circles()).toHaveLength(1);
  });

  const stuckPair = async () => {
    const made = await pair();
    for (let at = 0; at < 5; at++) {
      await made.say(made.upper, `ping ${at}`, 'progress');
      if ((await made.inner())?.cause === 'no_progress') break;
      await made.say(made.lower, `pong ${at}`, 'question');
      if ((await made.inner())?.cause === 'no_progress') break;
    }
    expect(await made.inner()).toMatchObject({ state: 'declined', cause: 'no_progress' });
    const [checkpoint] = await made.circles();
    const close = (body: { choice: string; turns?: number; instruction?: string }) =>
      floor.ann.ask('closeCheckpoint', { params: { checkpointId: checkpoint!.id }, body });
    return { ...made, checkpoint: checkpoint!, close };
  };

  test('[C2A-20] a counter is no progress, and its person can stop the work', async () => {
    const { here, outer, checkpoint, close } = await stuckPair();
    expect(checkpoint.choices.map(({ choice }) => choice)).toEqual(['stop', 'go_on', 'redirect']);
    expect((await close({ choice: 'stop' })).status).toBe(200);
    expect((await floor.tasks(here)).find(({ id }) => id === outer.id)).toMatchObject({ state: 'cancelled', cause: 'stopped' });
  });

  test('[C2A-20] let go on for some turns, they are judged again after these, and a person is asked again', async () => {
    const { upper, lower, inner, say, close, circles } = await stuckPair();
    expect((await close({ choice: 'go_on', turns: 8 })).status).toBe(200);
    let turns = 0;
    for (let at = 0; at < 10; at++) {
      turns++;
      await say(upper, `ping ${at}`, 'progress');
      if ((await inner())?.cause === 'no_progress') break;
      turns++;
      await say(lower, `pong ${at}`, 'question');
      if ((await inner())?.cause === 'no_progress') break;
    }
    expect(turns).toBe(9);
    expect((await circles()).map(({ open }) => open)).toEqual([true]);
  });

  test('[C2A-20] redirected, the one above gets the instruction, and may call the other again', async () => {
    const { upper, lower, here, inner, say, close } = await stuckPair();
    expect((await close({ choice: 'redirect' })).body.error?.code).toBe('invalid_request');
    expect((await close({ choice: 'redirect', instruction: 'Ask it for the figures of March instead.' })).status).toBe(200);
    expect((await floor.bodies(here)).at(-1)).toEqual(['ann', 'Ask it for the figures of March instead.']);
    await floor.pass();
    expect(await say(upper, 'please give me the figures of March', 'progress')).toBe('ok');
    expect(await inner()).toMatchObject({ agentId: lower.id, state: expect.not.stringMatching('declined') as string });
  });

  test('[C2A-20] labelled circles are found in the talk of agents, whatever time they take', async () => {
    const found = [];
    for (const { exchange } of cases('stuck', 6)) {
      const { task, refused } = await talk(exchange);
      found.push(task?.cause === 'no_progress' || refused.length > 0);
      await floor.pass(60_000);
    }
    expect(found.filter(Boolean).length).toBeGreaterThanOrEqual(5);
  });

  test('[C2A-19] a reply that adds nothing is refused, recorded and not shown; an answer never is', async () => {
    const { upper, lower, here, say, inner } = await pair();
    expect(await say(upper, 'the build is red', 'progress')).toBe('ok');
    expect(await say(lower, 'I looked at the build, and the linter fails in utils.ts', 'question')).toBe('ok');
    expect(await say(upper, 'the linter fails', 'progress')).toBe('adds_nothing');
    expect((await floor.bodies(here)).map(([, body]) => body)).not.toContain(`^${lower.handle} the linter fails`);
    const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'post.refused' and member_id = ?", [upper.id]);
    expect(facts.map(({ data }) => JSON.parse(data) as unknown)).toEqual([{ reason: 'adds_nothing' }]);
    expect(await say(upper, 'then fix the import on line 12', 'progress')).toBe('ok');
    expect(await say(lower, 'fixed in commit 4f2a', 'answer')).toBe('ok');
    expect(await inner()).toMatchObject({ state: 'completed' });
    // ModelCall again, the same words are an answer.
    expect(await say(upper, 'the build is red', 'progress')).toBe('ok');
    expect(await say(lower, 'which linter?', 'question')).toBe('ok');
    expect(await say(upper, 'the one in CI', 'progress')).toBe('ok');
    expect(await say(lower, 'here it is', 'answer')).toBe('ok');
  });

  test('[C2A-20] a pair has a budget of turns in each chain, and in any 24 hours', async () => {
    const budgets = { ...workLimits.budgets, pair_chain: { turns: 1, micros: 1_000_000 }, pair_day: { turns: 2, micros: 1_000_000 } };
    const small = await floorOn(engine, { limits: { ...workLimits, budgets } });
    try {
      const [a, b] = [await small.agent('A'), await small.agent('B')];
      const here = await small.channel('small', a, b);
      const hours = async (n: number) => {
        small.clock.advance(n * 3_600_000);
        await small.kit.hub.kernel.timers.tick();
      };
      /** Another chain, in which A gives B these, one after the other; what became of the last. */
      const ask = async (...bodies: string[]) => {
        await small.ann.post(here, '^A go');
        await small.pass();
        const outer = (await small.tasks(here)).findLast(({ parentId }) => parentId === null)!;
        const given = async () => (await small.tasks(here)).findLast(({ parentId }) => parentId === outer.id)!;
        for (const body of bodies) {
          await small.say(a, outer, 'progress', `^B ${body}`);
          await small.pass();
          if ((await given()).state === 'active') await small.say(b, await given(), 'answer', `done: ${body}`);
        }
        await small.say(a, outer, 'answer', 'that is all');
        const { state, cause } = await given();
        return [state, cause];
      };
      await hours(20);
      expect(await ask('count the files', 'count the folders')).toEqual(['failed', 'budget']);
      // Another chain has its own; midnight gives no new day.
      expect(await ask('count the lines')).toEqual(['completed', 'answered']);
      await hours(6);
      expect(await ask('count the words')).toEqual(['failed', 'budget']);
      await hours(20);
      expect(await ask('count the bytes')).toEqual(['completed', 'answered']);
    } finally {
      await small.kit.stop();
    }
  });
});
