// The audit log (PRV-11): who did what, with which arguments, what came of it and who approved it. Owners and admins read it.

import type { AuditEntry } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, hubFor } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Brain, TurnOutcome, BrainTurn } from '../../src/brains/brain.ts';
import { ApprovalDenial, NeedsApproval } from '../../src/executor/journal.ts';
import { type Contacts, contactsOn } from '../kit/contacts.ts';
import { provokeFor } from '../kit/provoke-runs.ts';

const log = async (who: Person, query: object = {}): Promise<AuditEntry[]> =>
  (await who.call('listAudit', { query: { limit: 200, ...query } })).entries;
/** Of the work of agents: people and their rights come into the log as well. */
const entries = async (who: Person, query: object = {}): Promise<AuditEntry[]> =>
  (await log(who, query)).filter(({ kind }) => kind !== 'access');

onBothEngines('the audit log of invocations', (engine) => {
  const world = provokeFor(engine);

  const tools = (risk_override: string) => [{ name: 'write', source: 'mcp://test', risk_override }];
  const script = [{ calls: [{ name: 'write', input: { text: 'x' } }] }, { text: 'done' }];
  const of = async (id: string) => (await entries(world.owner)).filter(({ invocationId }) => invocationId === id);

  test('[PRV-11] a call of medium risk is there with its arguments and outcome; one of low risk is not', async () => {
    const run = await (await world.wakes(script, { tools: tools('medium') })).run();
    expect(await of(run.id)).toMatchObject([
      {
        kind: 'tool',
        name: 'write',
        actorId: run.agentId,
        onBehalfOf: world.owner.id,
        arguments: { text: 'x' },
        kept: true,
        outcome: 'done',
        approverId: null,
        taskId: null,
        invocationId: run.id,
        chainId: run.chainId,
      },
    ]);
    const low = await (await world.wakes(script, { tools: tools('low') })).run();
    expect(await of(low.id)).toEqual([]);
  });

  test('[PRV-11] at high risk the approval is an entry, and each call names the approver; a denial and an expiry are there too', async () => {
    const woken = await world.wakes(script, { tools: tools('high') });
    const answered = async (choice: 'approve' | 'deny') => {
      const { id, checkpointId } = await woken.run();
      await world.owner.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice } });
      await world.settled();
      return of(id);
    };
    const [call, approval, ...none] = await answered('approve');
    expect(none).toEqual([]);
    expect(call).toMatchObject({ kind: 'tool', outcome: 'done', approverId: world.owner.id });
    expect(approval).toMatchObject({ kind: 'approval', name: `m-${woken.name}`, actorId: world.owner.id, outcome: 'approved' });
    expect(approval!.arguments).toMatchObject({ trigger: woken.name, risk: 'low', version: 1 });
    expect(await answered('deny')).toMatchObject([{ kind: 'approval', outcome: 'denied', approverId: world.owner.id }]);
    const { id } = await woken.run();
    await world.pass(25 * 3_600_000);
    expect(await of(id)).toMatchObject([{ kind: 'approval', outcome: 'expired', actorId: 'platform', approverId: null }]);
  });

  test('[PRV-11] the operator and the platform are two actors, in the log and in the facts', async () => {
    const woken = await world.wakes(script, { tools: tools('high') });
    const { id, checkpointId } = await woken.run();
    await world.kit.operator.call('closeCheckpoint', { params: { checkpointId: checkpointId! }, body: { choice: 'approve' } });
    await world.settled();
    expect(await of(id)).toMatchObject([
      { kind: 'tool', outcome: 'done', approverId: 'operator' },
      { kind: 'approval', outcome: 'approved', actorId: 'operator', approverId: 'operator' },
    ]);
    const late = await woken.run();
    await world.pass(25 * 3_600_000);
    const about = { subject_id: [checkpointId!, late.checkpointId!], scope: 'record' } as const;
    const facts = await world.kit.hub.kernel.store.rows('facts', about, { order: 'seq' });
    expect(facts.map(({ type, actor_id }) => [type, actor_id])).toEqual([
      ['approval.asked', null],
      ['approval.answered', 'operator'],
      ['approval.asked', null],
      ['approval.expired', null],
    ]);
  });

  test('[PRV-11] a call that fails is there as failed, and the log outlives a restart', async () => {
    const failing = [{ calls: [{ name: 'write', input: { text: 7 } }] }, { text: 'done' }];
    const run = await (await world.wakes(failing, { tools: tools('medium') })).run();
    expect(await of(run.id)).toMatchObject([{ arguments: { text: 7 }, outcome: 'failed' }]);
    const before = await entries(world.owner);
    await world.kit.restart();
    expect(await entries(world.owner)).toEqual(before);
  });

  test('[PRV-11] it is read a page at a time, by cursor, and filtered by kind, member and time', async () => {
    const all = await log(world.owner);
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a));
    const paged: AuditEntry[] = [];
    for (let before: number | undefined; ;) {
      const page = await world.owner.call('listAudit', { query: { limit: 20, ...(before === undefined ? {} : { before }) } });
      paged.push(...page.entries);
      if (page.next === null) break;
      before = page.next;
    }
    expect(paged).toEqual(all);
    const kinds = new Set((await log(world.owner, { kind: 'approval' })).map(({ kind }) => kind));
    expect([...kinds]).toEqual(['approval']);
    const first = all.find(({ kind }) => kind === 'tool');
    const hers = await log(world.owner, { memberId: first!.actorId });
    expect(hers.map(({ id }) => id)).toContain(first!.id);
    expect(hers.every(({ actorId, targetId }) => [actorId, targetId].includes(first!.actorId))).toBe(true);
    const [latest, middle] = [all[0]!.at, all.at(-1)!.at + 1];
    expect(await log(world.owner, { since: latest })).toEqual(all.filter(({ at }) => at >= latest));
    expect(await log(world.owner, { until: middle })).toEqual(all.filter(({ at }) => at < middle));
  });

  test('[PRV-11] [SYS-11] only owners and admins read it: not members, guests, agents, or sources', async () => {
    const refusal = async (who: Person) => {
      const { status, body } = await who.ask('listAudit', { query: {} });
      return [status, body.error?.code, body.error?.reason];
    };
    expect((await world.kit.person('adm', 'admin').then((adm) => adm.ask('listAudit', { query: {} }))).status).toBe(200);
    expect((await world.kit.operator.ask('listAudit', { query: {} })).status).toBe(200);
    expect(await refusal(await world.kit.person('mem'))).toEqual([403, 'forbidden', 'audit.see:role_may_not']);
    expect(await refusal(await world.kit.person('gst', 'guest'))).toEqual([403, 'forbidden', 'audit.see:role_may_not']);
    // To an agent every route that is not its own answers so.
    expect((await refusal(await world.kit.agent('AGT')))[1]).toBe('outside_task');
  });

  test('[PRV-11] [SYS-14] with the events of an erased person go the arguments of what they caused; that it happened stays', async () => {
    const zoe = await world.kit.person('zoe');
    const woken = await world.wakes(script, { tools: tools('medium') }, { accept: 'members' });
    await world.emit({ type: woken.type, data: { text: 'her words' } }, zoe);
    await world.settled();
    const [before] = await entries(world.owner);
    expect(before).toMatchObject({ arguments: { text: 'x' }, kept: true });
    await world.kit.operator.call('eraseMember', { params: { memberId: zoe.id } });
    await world.settled();
    expect((await entries(world.owner))[0]).toEqual({ ...before, arguments: null, kept: false });
  });
});

onBothEngines('the audit log of turns', (engine) => {
  let orac: string;
  let dm: string;
  let turnOf: (turn: BrainTurn) => Promise<TurnOutcome>;
  const brain: Brain = { turn: (turn) => turnOf(turn) };
  const kit = hubFor(engine, { brain, clock: new SimClock(), agents: [{ handle: 'ORAC', displayName: 'ORAC', about: '' }] });
  beforeAll(async () => {
    orac = (await kit.owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!.id;
    await kit.operator.call('editMember', { params: { memberId: orac }, body: { ownerId: kit.owner.id } });
    dm = (await kit.owner.call('openDm', { body: { memberIds: [orac] } })).id;
  });

  const settle = () => kit.hub.kernel.scheduler.settled();
  const calls =
    (name: string, input: object, { readOnly = false, fails = false } = {}) =>
    async (turn: BrainTurn): Promise<TurnOutcome> => {
      const take = async () => (fails ? { text: 'Error: no', isError: true } : { text: 'sent' });
      const text = await turn.step({ kind: 'tool', name, readOnly, input }, take).then(
        (result) => result.text,
        (error: unknown) => {
          if (error instanceof NeedsApproval || error instanceof ApprovalDenial) return error.message;
          throw error;
        },
      );
      return { kind: 'answer', text };
    };
  const ask = async (text: string) => {
    const message = await kit.owner.post(dm, text);
    await settle();
    return message.id;
  };

  test('[PRV-11] [SYS-12] a call that changes something is there, done or failed; a read is not', async () => {
    turnOf = calls('send_mail', { to: 'bob', body: 'hello' });
    await ask('send it');
    const [task] = (await kit.owner.call('listTasks', { query: { conversationId: dm, state: 'all' } })).tasks;
    const before = await entries(kit.owner);
    expect(before).toMatchObject([
      {
        kind: 'tool',
        name: 'send_mail',
        actorId: orac,
        onBehalfOf: kit.owner.id,
        arguments: { to: 'bob', body: 'hello' },
        outcome: 'done',
        approverId: null,
        taskId: task!.id,
        conversationId: dm,
        chainId: task!.chainId,
      },
    ]);
    turnOf = calls('find', { text: 'x' }, { readOnly: true });
    await ask('find it');
    expect(await entries(kit.owner)).toEqual(before);
    turnOf = calls('send_mail', { to: 'eve' }, { fails: true });
    await ask('again');
    expect((await entries(kit.owner))[0]).toMatchObject({ arguments: { to: 'eve' }, outcome: 'failed' });
  });

  test('[PRV-11] [IAC-12] an approved call names its approver, a read too; a denied one is there only as its denial', async () => {
    await kit.owner.call('editAgent', { params: { memberId: orac }, body: { mode: 'strict' } });
    const answered = async (choice: string) => {
      const { checkpoints } = await kit.owner.call('listCheckpoints', { query: {} });
      await kit.owner.call('closeCheckpoint', { params: { checkpointId: checkpoints[0]!.id }, body: { choice } });
      await settle();
    };
    const since = (await entries(kit.owner))[0]!.seq;
    const newer = async () => (await entries(kit.owner)).filter(({ seq }) => seq > since);
    turnOf = calls('find', { text: 'y' }, { readOnly: true });
    await ask('find');
    await answered('approve');
    expect(await newer()).toMatchObject([
      { kind: 'tool', name: 'find', outcome: 'done', approverId: kit.owner.id },
      { kind: 'approval', name: 'find', outcome: 'approved', actorId: kit.owner.id, targetId: orac, arguments: { text: 'y' } },
    ]);
    turnOf = calls('send_mail', { to: 'zoe' });
    await ask('send');
    await answered('deny');
    expect((await newer()).slice(0, -2)).toMatchObject([{ kind: 'approval', name: 'send_mail', outcome: 'denied' }]);
    await kit.owner.call('editAgent', { params: { memberId: orac }, body: { mode: 'autonomous' } });
  });

  test('[PRV-11] [SYS-6] a private note never gets into it, though its owner may have it sent', async () => {
    const secret = 'The cellar key is under the blue pot';
    // Tagged as a turn that was given the note tags it.
    turnOf = async (turn) => {
      if (turn.task.lease === 1) await tag(turn.task.chain_id, turn.task.id, secret);
      return calls('send_mail', { to: 'me', body: `Remember: ${secret}.`, code: Buffer.from(secret).toString('hex') })(turn);
    };
    await ask('mail me my note');
    const [asked] = (await kit.owner.call('listCheckpoints', { query: {} })).checkpoints;
    await kit.owner.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    await settle();
    const [call, approval] = await entries(kit.owner);
    expect(call).toMatchObject({ kind: 'tool', arguments: { to: 'me', body: '[withheld]', code: '[withheld]' } });
    expect(approval).toMatchObject({ kind: 'approval', arguments: { to: 'me', body: '[withheld]', code: '[withheld]' } });
    const rows = await kit.hub.kernel.store.all<{ arguments: string }>('select arguments from audit_entries');
    expect(rows.filter(({ arguments: text }) => text.includes('cellar'))).toEqual([]);
  });

  const tag = async (chainId: string, taskId: string, value: string) => {
    const { transaction } = await kit.hub.kernel.store.begin([], []);
    const row = { chain_id: chainId, task_id: taskId, field: 'memory', owner_id: kit.owner.id, held: JSON.stringify([value]) };
    await transaction.commit({ inserts: [{ table: 'tags', row }], updates: [], deletes: [], facts: [] });
  };

  test('[PRV-11] a page is bounded by the bytes of its arguments', async () => {
    for (let i = 0; i < 4; i++) {
      turnOf = calls('send_mail', { n: i, body: 'x'.repeat(100_000) });
      await ask(`letter ${i}`);
    }
    const page = await kit.owner.call('listAudit', { query: {} });
    expect(page.entries).toHaveLength(2);
    expect(page.next).toBe(page.entries[1]!.seq);
    const next = await kit.owner.call('listAudit', { query: { before: page.next! } });
    expect(next.entries.map(({ arguments: given }) => (given as { n: number }).n).slice(0, 2)).toEqual([1, 0]);
  });

  test('[PRV-11] [SYS-14] with a deleted message go the arguments of the calls in its chain', async () => {
    turnOf = calls('send_mail', { body: 'words of the message' });
    const id = await ask('send these words');
    expect((await entries(kit.owner))[0]).toMatchObject({ arguments: { body: 'words of the message' }, kept: true });
    await kit.owner.call('deleteMessage', { params: { messageId: id } });
    expect((await entries(kit.owner))[0]).toMatchObject({ name: 'send_mail', arguments: null, kept: false, outcome: 'done' });
  });
});

onBothEngines('the audit log between agents', (engine) => {
  let contacts: Contacts;
  let [a, b]: Person[] = [];
  beforeAll(async () => {
    contacts = await contactsOn(engine);
    [a, b] = [await contacts.floor.agent('A'), await contacts.floor.agent('B')];
  });
  afterAll(() => contacts.floor.kit.stop());

  test('[IAC-10] [SYS-11] a contact is there without its words, and so is everybody who reads them', async () => {
    const { kit, ann } = contacts.floor;
    const task = await contacts.at(a!);
    await contacts.contact(a!, b!, { action: 'notify', message: 'the words', context: 'more words' });
    const [entry] = await entries(kit.owner);
    expect(entry).toMatchObject({
      kind: 'contact',
      name: 'notify',
      actorId: a!.id,
      targetId: b!.id,
      onBehalfOf: ann.id,
      arguments: { action: 'notify' },
      outcome: 'done',
      taskId: task.id,
      approverId: null,
    });
    expect(JSON.stringify(entry)).not.toContain('words');
    const conversationId = entry!.conversationId!;
    await kit.owner.call('listMessages', { params: { conversationId }, query: {} });
    await ann.call('listMessages', { params: { conversationId }, query: {} });
    expect((await entries(kit.owner, { kind: 'read' })).map(({ actorId, conversationId: where }) => [actorId, where])).toEqual([
      [ann.id, conversationId],
      [kit.owner.id, conversationId],
    ]);
  });

  test('[IAC-14] a contact that was approved names its approver', async () => {
    const { kit, ann } = contacts.floor;
    await ann.call('setContactRule', { params: { memberId: a!.id, target: b!.id }, body: { permission: 'allow', requiresApproval: true } });
    await contacts.contact(a!, b!, { action: 'notify', message: 'once more' });
    const [asked] = (await ann.call('listCheckpoints', { query: {} })).checkpoints;
    await ann.call('closeCheckpoint', { params: { checkpointId: asked!.id }, body: { choice: 'approve' } });
    await contacts.contact(a!, b!, { action: 'notify', message: 'once more' });
    const [entry, approval] = await entries(kit.owner);
    expect(entry).toMatchObject({ kind: 'contact', approverId: ann.id });
    expect(approval).toMatchObject({ kind: 'approval', name: 'contact_agent', outcome: 'approved', actorId: ann.id });
    expect(JSON.stringify(approval)).not.toContain('once more');
  });
});
