// The same commands, carried as clients carry them: through HTTP, and for agents half of the time through their socket.

import type { AgentMethod, AgentParams, RouteInput, RouteName } from '@parley/protocol';
import type { Person, Random } from '@parley/testkit';
import type { Command } from '../../src/engine/command.ts';
import { Wire } from '../floor/agent-wire.ts';
import { type Carry, noWay, type Tried } from './misbehaving.ts';
import { tokenOf } from './misbehaving-scene.ts';

export class Doors {
  /** By the id of the token: a door goes by nothing else. */
  private readonly tokens: ReadonlyMap<string | undefined, Person>;
  private readonly random: Random;
  private readonly placeOf: (taskId: string) => string;
  private readonly lines = new Map<string, Wire>();

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
      if (line) this.lines.set(person.id, line);
      return { ok: line !== undefined, code: line ? '' : 'closed', door: 'socket' };
    }
    const line = this.lines.get(person.id);
    if (line && this.random.next() < 0.5) {
      const said = await this.bySocket(line, command);
      if (said && said.code !== 'unsent') return { ...said, door: 'socket' };
      // It was hung up on: nothing was sent, and nothing will be.
      if (said && this.lines.get(person.id) === line) this.lines.delete(person.id);
    }
    const said = await this.byHttp(person, command);
    return said === noWay ? noWay : { ...said, door: 'http' };
  };

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
        if (taskId === null) return undefined;
        return call('say', { taskId, lease, kind, body, ...(conversationId ? { conversationId } : {}), ...(key ? { key } : {}) });
      }
      case 'task.begin':
        return call('claim', { taskId: command.taskId });
      case 'task.decline':
        return call('decline', { taskId: command.taskId, lease: command.lease ?? 0, outcome: command.outcome, reason: command.reason });
      case 'task.pause':
        return call('pause', { taskId: command.taskId, lease: command.lease });
      case 'agent.ack':
        return call('ack', { cursor: command.cursor });
      default:
        return undefined;
    }
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
        return ask('postMessage', { params: { conversationId }, body: { body, ...task } }, key ? { 'idempotency-key': key } : {});
      }
      case 'message.post': {
        const { conversationId, body, replyTo, outputs } = command;
        const more = { ...(replyTo === undefined ? {} : { replyTo }), ...(outputs === undefined ? {} : { outputs }) };
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
      case 'message.edit':
        return ask('editMessage', { params: { messageId: command.messageId }, body: { body: command.body } });
      case 'message.delete':
        return ask('deleteMessage', { params: { messageId: command.messageId } });
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
