// The judge judged: what it must not let pass, told to it fact by fact.

import type { Rows, Store } from '@parley/hub';
import { describe, expect, test } from 'vitest';
import { FloorModel } from './floor.ts';

type Fact = Rows['facts'] & { sum: string };

/** A parent and its sub-task, both at work, and what is told of them. */
class Story {
  private readonly facts: Fact[] = [];
  private readonly tasks = new Map<string, Rows['tasks']>();

  tell(type: string, task: string | null, agent: string | null, data: object = {}): this {
    const seq = this.facts.length + 1;
    const ids = { conversation_id: 'cnv_1', member_id: agent, subject_id: task, chain_id: 'chn_1' };
    this.facts.push({ seq, at: seq, type, actor_id: null, ...ids, data: JSON.stringify(data), prev: `${seq - 1}`, sum: `${seq}` } as Fact);
    return this;
  }

  open(id: string, agent: string | null, over: Partial<Rows['tasks']> = {}): this {
    const path = [...(over.parent_id ? (JSON.parse(this.tasks.get(over.parent_id)!.path) as string[]) : []), ...(agent ? [agent] : [])];
    const depth = over.parent_id ? 1 : 0;
    const place = { conversation_id: 'cnv_1', message_id: 'msg_1', requester_id: 'ann', parent_id: null, answer_id: null };
    const row = { id, chain_id: 'chn_1', agent_id: agent, ...place, depth, path: JSON.stringify(path), outputs: '[]', lease: 0 };
    this.tasks.set(id, { ...row, addressed_by: 'mention', state: 'queued', open: 1, ...over } as Rows['tasks']);
    return this.tell('task.opened', id, agent);
  }

  /** How its row stands in the end. */
  row(id: string, change: Partial<Rows['tasks']>): this {
    this.tasks.set(id, { ...this.tasks.get(id)!, ...change });
    return this;
  }

  atWork(id: string, agent: string): this {
    return this.tell('task.begin', id, agent, { lease: 1 }).row(id, { state: 'active', lease: 1 });
  }

  end(id: string, agent: string, type: string, cause: string): this {
    return this.tell(type, id, agent, { cause }).row(id, { open: 0 });
  }

  async verdict(): Promise<string[]> {
    const store = {
      all: async (sql: string, [after = 0]: number[] = []) => (sql.startsWith('select count') ? [{ n: 0 }] : this.facts.slice(after)),
      rows: async (table: string, where: string, [first, ...more]: string[] = []) => {
        if (table === 'chains') return [{ id: 'chn_1', tasks: this.tasks.size }];
        if (table !== 'tasks' || first === undefined) return [];
        return [...this.tasks.values()].filter(({ id }) => (where.startsWith('where id >') ? id > first : [first, ...more].includes(id)));
      },
    };
    return new FloorModel(store as unknown as Store, []).verdict();
  }
}

/** The lower one was turned to B by a person: no word is needed that asked for it. */
const twoAtWork = (): Story =>
  new Story()
    .open('tsk_1', 'A')
    .atWork('tsk_1', 'A')
    .open('tsk_2', 'B', { parent_id: 'tsk_1', addressed_by: 'redirect' })
    .atWork('tsk_2', 'B');
const told = { kind: 'task_timed_out', task: 'tsk_1' };

describe('the judge of a sub-task that ended', () => {
  test.each(['offline', 'waited_too_long', 'outer_limit', 'run_time', 'parent_ended'])(
    '[PAP-10] alone, by %s: the one above must be told, once',
    async (cause) => {
      const type = cause === 'parent_ended' ? 'task.cancel' : 'task.time_out';
      const silent = twoAtWork().end('tsk_2', 'B', type, cause);
      expect(await silent.verdict()).toEqual(['tsk_1 was told 0 times that tsk_2 ended']);
      const result = { child: 'tsk_2', state: 'timed_out' };
      const reported = twoAtWork().end('tsk_2', 'B', type, cause).tell('task.result', 'tsk_1', 'A', result);
      expect(await reported.verdict()).toEqual([]);
    },
  );

  test('[PAP-13] together with the one above: nobody is left to be told', async () => {
    const late = twoAtWork().end('tsk_2', 'B', 'task.time_out', 'offline').end('tsk_1', 'A', 'task.time_out', 'offline');
    expect(await late.tell('notice', 'tsk_1', 'ann', told).verdict()).toEqual([]);
  });

  test('[PAP-13] and the one above only later: it must have been told before', async () => {
    const late = twoAtWork().end('tsk_2', 'B', 'task.time_out', 'offline').tell('task.continued', 'tsk_1', 'A');
    const ended = late.end('tsk_1', 'A', 'task.time_out', 'offline').tell('notice', 'tsk_1', 'ann', told);
    expect(await ended.verdict()).toEqual(['tsk_1 was told 0 times that tsk_2 ended']);
  });

  test('[PAP-13] right before the one above, of something else: it must have been told, too', async () => {
    const both = twoAtWork().end('tsk_2', 'B', 'task.time_out', 'waited_too_long').end('tsk_1', 'A', 'task.time_out', 'run_time');
    expect(await both.tell('notice', 'tsk_1', 'ann', told).verdict()).toEqual(['tsk_1 was told 0 times that tsk_2 ended']);
  });
});

describe('the judge of what is anyone’s', () => {
  const anyones = (state: 'queued' | 'offered'): Story => new Story().open('tsk_1', null, { addressed_by: 'any_agent', state });
  const nobody = { kind: 'nobody_available', task: 'tsk_1' };

  test('[PAP-4] it is offered, or its author is told that nobody is there', async () => {
    expect(await anyones('offered').verdict()).toEqual([]);
    expect(await anyones('queued').verdict()).toEqual(['tsk_1 is queued, its facts say offered']);
    expect(await anyones('queued').tell('notice', 'tsk_1', 'ann', nobody).verdict()).toEqual([]);
    expect(await anyones('offered').tell('notice', 'tsk_1', 'ann', nobody).verdict()).toEqual(['tsk_1 is offered, its facts say queued']);
  });

  test('[PAP-4] it is offered to whoever comes, and falls back when all have gone', async () => {
    const offered = anyones('offered').tell('notice', 'tsk_1', 'ann', nobody).tell('task.offer', 'tsk_1', null);
    expect(await offered.verdict()).toEqual([]);
    offered.tell('task.yield', 'tsk_1', null).tell('notice', 'tsk_1', 'ann', nobody).row('tsk_1', { state: 'queued' });
    expect(await offered.verdict()).toEqual([]);
  });

  test('[PAP-4] what is offered cannot be offered again, nor nobody be there for it', async () => {
    expect(await anyones('offered').tell('task.offer', 'tsk_1', null).verdict()).toEqual(['task.offer at 2 of tsk_1, which is offered']);
    const later = anyones('offered').tell('task.continued', 'tsk_1', null).tell('notice', 'tsk_1', 'ann', nobody);
    expect(await later.verdict()).toEqual(['at 3 nobody was there for tsk_1, which is offered']);
  });
});
