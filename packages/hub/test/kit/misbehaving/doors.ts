// The same commands, carried as clients carry them: through HTTP, and for agents half of the time through their socket.

import type { AgentMethod, AgentParams, RouteInput, RouteName } from '@parley/protocol';
import { signalOf } from '@parley/core';
import type { Person, Random } from '@parley/testkit';
import type { Command } from '../../../src/engine/command.ts';
import { Wire } from '../agent-wire.ts';
import { outOfOrder } from '../judges/delivery-order.ts';
import { type Carry, noWay, type Tried } from './walk.ts';
import { tokenOf } from './scene.ts';

/** What the hub knew to be acknowledged when the line began. */
const startOf = (line: Wire): number => (line.frames[0]!.result as { cursor: number }).cursor;
const count = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1);

export class Doors {
  /** By the id of the token: a door goes by nothing else. */
  private readonly tokens: ReadonlyMap<string | undefined, Person>;
  private readonly random: Random;
  private readonly placeOf: (taskId: string) => string;
  private readonly lines = new Map<string, Wire>();
  /** Every line there ever was. */
  private readonly all: { agent: Person; line: Wire }[] = [];
  private readonly acked = new Map<string, number>();
  private readonly wrong: string[] = [];
  /** What came of asking for words. */
  readonly pulled = new Map<string, number>();

  constructor(tokens: ReadonlyMap<string, Person>, random: Random, placeOf: (taskId: string) => string) {
    this.tokens = tokens;
    this.random = random;
    this.placeOf = placeOf;
  }

  readonly carry: Carry = async (command) => {
    if (command.type === 'agent.disconnect') {
      const line = this.lines.get(command.agentId);
      if (!line) return noWay;
      this.lines.delete(command.agentId);
      await line.cut();
      return { ok: true, code: '', door: 'socket' };
    }
    const person = this.tokens.get(tokenOf(command));
    if (!person) return noWay;
    if (command.type === 'agent.connect') {
      // Two at once: the later one counts, and the other is hung up on.
      const line = await Wire.hello(person).catch(() => undefined);
      if (line) this.begun(person, line);
      return { ok: line !== undefined, code: line ? '' : 'closed', door: 'socket' };
    }
    const line = this.lines.get(person.id);
    if (command.type === 'agent.ack') return line ? this.acknowledges(line, person, command.cursor) : noWay;
    if (line && this.random.next() < 0.5) {
      const said = await this.bySocket(line, command);
      if (said && said.code !== 'unsent') return { ...said, door: 'socket' };
      // It was hung up on: nothing was sent, and nothing will be.
      if (said && this.lines.get(person.id) === line) this.lines.delete(person.id);
    }
    const said = await this.byHttp(person, command);
    return said === noWay ? noWay : { ...said, door: 'http' };
  };

  private begun(agent: Person, line: Wire): void {
    this.lines.set(agent.id, line);
    this.all.push({ agent, line });
    const from = startOf(line);
    const acked = this.acked.get(agent.id) ?? 0;
    // One that was acknowledged over the line before may be known only now.
    if (from < acked) this.wrong.push(`${agent.handle} had ${acked} acknowledged, and is told again from ${from}`);
    this.acked.set(agent.id, from);
  }

  /** Mostly of what it was told; of what it was not, too. */
  private async acknowledges(line: Wire, agent: Person, never: number): Promise<Tried> {
    const told = line.events.at(-1)?.cursor;
    const cursor = told !== undefined && this.random.next() < 0.5 ? told : never;
    const said = await line.tried('ack', { cursor });
    if (said.ok && this.lines.get(agent.id) === line) this.acked.set(agent.id, Math.max(cursor, this.acked.get(agent.id) ?? 0));
    return said.ok ? { ok: true, code: '', door: 'socket' } : said.code === 'unsent' ? noWay : { ...said, door: 'socket' };
  }

  /** What came over each line, in which order. */
  problems(): string[] {
    return [...this.wrong, ...this.all.flatMap(({ agent, line }) => outOfOrder(agent.handle, startOf(line), line.events))];
  }

  get told(): number {
    return this.all.reduce((sum, { line }) => sum + line.events.length, 0);
  }

  private async bySocket(line: Wire, command: Command): Promise<Tried | undefined> {
    const call = async <M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<Tried> => {
      const said = await line.tried(method, params);
      if (!said.ok) return said;
      const { id } = said.result as { id?: string };
      return { ok: true, code: '', ...(id === undefined ? {} : { id }) };
    };
    switch (command.type) {
      case 'task.say': {
        const { taskId, lease = 0, kind, body, conversationId, key } = command;
        const { obligation } = command;
        if (taskId === null) return conversationId === undefined ? undefined : call('goodbye', { conversationId, body });
        const more = { ...(conversationId ? { conversationId } : {}), ...(key ? { key } : {}), ...(obligation ? { obligation } : {}) };
        return call('say', { taskId, lease, kind, body, ...more });
      }
      case 'task.begin':
        // It reads before it takes, or does not take it at all.
        if (this.random.next() < 0.3) await this.pulls(line, command.taskId);
        return call('claim', { taskId: command.taskId });
      case 'round.claim':
        return call('claim', { messageId: command.messageId });
      case 'round.pass':
        return call('pass', { messageId: command.messageId });
      case 'message.react': {
        const signal = command.on ? signalOf(command.emoji) : undefined;
        if (!signal) return undefined;
        const { messageId, lease } = command;
        return call('signal', { messageId, signal, ...(lease === undefined ? {} : { lease }) });
      }
      case 'obligation.signal':
        return call('obligation.signal', { obligationId: command.obligationId, signal: command.signal as 'working' });
      case 'obligation.discharge':
        return call('obligation.discharge', { obligationId: command.obligationId });
      case 'task.decline':
        return call('decline', { taskId: command.taskId, lease: command.lease ?? 0, outcome: command.outcome, reason: command.reason });
      case 'contact.start': {
        const { action, targetId: agentId, taskId, lease, message, context, priority, key } = command;
        const more = {
          ...(context === undefined ? {} : { context }),
          ...(priority === undefined ? {} : { priority }),
          ...(key ? { key } : {}),
        };
        const said = line.tried('contact', { taskId, lease, action, agentId, message, ...more });
        // It waits in the call, for as long as anybody does: what comes of it is seen in the facts.
        if (action === 'ask') return { ok: false, code: 'closed' };
        const came = await said;
        if (!came.ok) return came;
        const { status, taskId: id } = came.result;
        if (status !== 'delegated' && status !== 'notified') return { ok: false, code: status };
        return { ok: true, code: '', ...(id === undefined ? {} : { id }) };
      }
      case 'task.pause':
        return call('pause', { taskId: command.taskId, lease: command.lease });
      default:
        return undefined;
    }
  }

  /** What it gets of a task is for it: its own, or one that it may take. */
  private async pulls(line: Wire, taskId: string): Promise<void> {
    const pulled = await line.tried('pull', { taskId });
    count(this.pulled, pulled.ok ? 'ok' : pulled.code);
  }

  private async byHttp(person: Person, command: Command): Promise<Tried> {
    const ask = async <N extends RouteName>(name: N, input: RouteInput<N>, headers: Record<string, string> = {}): Promise<Tried> => {
      const { status, body } = await person.ask(name, input, headers);
      const said = body as { id?: string; error?: { code: string } };
      return status === 200
        ? { ok: true, code: '', ...(said.id === undefined ? {} : { id: said.id }) }
        : { ok: false, code: said.error!.code };
    };
    switch (command.type) {
      case 'task.say': {
        const { taskId, lease = 0, kind, body, key } = command;
        const conversationId = command.conversationId ?? this.placeOf(taskId ?? '');
        const task = taskId === null ? {} : { task: { id: taskId, lease, kind } };
        const { obligation } = command;
        const more = { ...task, ...(obligation ? { obligation } : {}) };
        return ask('postMessage', { params: { conversationId }, body: { body, ...more } }, key ? { 'idempotency-key': key } : {});
      }
      case 'message.post': {
        const { conversationId, body, replyTo, outputs, obligation, urgent } = command;
        const more = {
          ...(replyTo === undefined ? {} : { replyTo }),
          ...(outputs === undefined ? {} : { outputs }),
          ...(obligation === undefined ? {} : { obligation }),
          ...(urgent === undefined ? {} : { urgent }),
        };
        return ask('postMessage', { params: { conversationId }, body: { body, ...more } });
      }
      case 'task.begin':
        return ask('startTask', { params: { taskId: command.taskId } });
      case 'task.decline':
        return ask('declineTask', {
          params: { taskId: command.taskId },
          body: { lease: command.lease ?? 0, outcome: command.outcome, reason: command.reason },
        });
      case 'task.stop':
        return ask('stopTask', { params: { taskId: command.taskId } });
      case 'task.redirect': {
        const { taskId, instruction, agentId } = command;
        return ask('redirectTask', { params: { taskId }, body: { instruction, ...(agentId === undefined ? {} : { agentId }) } });
      }
      case 'round.claim':
        return ask('claimMessage', { params: { messageId: command.messageId } });
      case 'round.pass':
        return ask('passMessage', { params: { messageId: command.messageId } });
      case 'message.assign': {
        const { messageId, memberId, urgent } = command;
        return ask('assignMessage', { params: { messageId }, body: { memberId, urgent } });
      }
      case 'message.edit':
        return ask('editMessage', { params: { messageId: command.messageId }, body: { body: command.body } });
      case 'message.delete':
        return ask('deleteMessage', { params: { messageId: command.messageId } });
      case 'message.react': {
        const { messageId, emoji, lease, on } = command;
        const signal = on ? signalOf(emoji) : undefined;
        if (signal && lease !== undefined) return ask('sendSignal', { params: { messageId }, body: { signal, lease } });
        return ask(on ? 'addReaction' : 'removeReaction', { params: { messageId, emoji } });
      }
      case 'leave.ask':
        return ask('askToLeave', { params: { conversationId: command.conversationId }, body: { memberId: command.memberId } });
      case 'leave.undo':
        return ask('callBack', { params: { conversationId: command.conversationId, memberId: command.memberId } });
      case 'role.edit':
        return ask('editRole', { params: { roleId: command.roleId }, body: command.change });
      case 'obligation.signal':
        return ask('signalObligation', { params: { obligationId: command.obligationId }, body: { signal: command.signal as 'working' } });
      case 'obligation.discharge':
        return ask('dischargeObligation', { params: { obligationId: command.obligationId } });
      case 'checkpoint.close':
        return ask('closeCheckpoint', { params: { checkpointId: command.checkpointId }, body: { choice: command.choice } });
      case 'contact.rule': {
        const { agentId: memberId, target, permission, requiresApproval } = command;
        return ask('setContactRule', { params: { memberId, target }, body: { permission, requiresApproval } });
      }
      case 'contact.clear':
        return ask('clearContactRule', { params: { memberId: command.agentId, target: command.target } });
      case 'thread.open':
        return ask('openThread', { params: { messageId: command.messageId } });
      case 'conversation.add':
        return ask('addToConversation', { params: { conversationId: command.conversationId }, body: { memberId: command.memberId } });
      case 'conversation.remove':
        return ask('removeFromConversation', { params: { conversationId: command.conversationId, memberId: command.memberId } });
      case 'conversation.leave':
        return ask('leaveConversation', { params: { conversationId: command.conversationId } });
      case 'conversation.join':
        return ask('joinConversation', { params: { conversationId: command.conversationId } });
      case 'conversation.edit':
        return ask('editConversation', { params: { conversationId: command.conversationId }, body: command.change });
      case 'dm.open':
        return ask('openDm', { body: { memberIds: command.memberIds } });
      case 'member.edit':
        return ask('editMember', { params: { memberId: command.memberId }, body: command.change });
      case 'agent.edit':
        return ask('editAgent', { params: { memberId: command.memberId }, body: command.change });
      case 'workspace.halt':
        return command.halted ? ask('halt', {}) : ask('release', {});
      default:
        return noWay;
    }
  }

  async close(): Promise<void> {
    for (const line of this.lines.values()) if (line.closeCode === undefined) await line.close();
    this.lines.clear();
  }
}
