// An agent whose every word a test says by hand, over the socket that real ones use.

import { agentSocketPath } from '@parley/protocol';
import type { AgentEvent, AgentMethod, AgentParams, AgentResult, Delivery, Member } from '@parley/protocol';
import { connectWithToken } from '@parley/sdk/node';
import { waitFor } from '@parley/testkit';
import type { Person } from './person.ts';

type Answer = { id: number; result?: unknown; error?: { message: string } } | { method: 'deliver'; params: Delivery } | { method: 'halt' };

export class HandAgent {
  readonly member: Member;
  readonly #secret: string;
  readonly #url: string;
  #transport: ReturnType<typeof connectWithToken> | undefined;
  #waiting = new Map<number, { answer: (result: never) => void; fail: (error: Error) => void }>();
  #events: AgentEvent[] = [];
  #id = 0;

  private constructor(member: Member, secret: string, url: string) {
    this.member = member;
    this.#secret = secret;
    this.#url = url;
  }

  /** Added by its owner; offline until it connects. */
  static async ownedBy(owner: Person, handle: string): Promise<HandAgent> {
    const member = await owner.call<Member>('POST', '/members', { kind: 'agent', handle, displayName: handle });
    const { secret } = await owner.call<{ secret: string }>('POST', '/tokens', { kind: 'agent', memberId: member.id, label: 'test' });
    return new HandAgent(member, secret, owner.page.url());
  }

  async connect(): Promise<void> {
    const url = new URL(agentSocketPath, this.#url);
    url.protocol = 'ws:';
    await new Promise<void>((resolve, reject) => {
      this.#transport = connectWithToken(
        { url: url.href, token: this.#secret },
        {
          onOpen: resolve,
          onText: (text) => this.#receive(JSON.parse(text) as Answer),
          onClose: ({ reason }) => reject(new Error(reason)),
        },
      );
    });
    await this.call('initialize', {});
  }

  #receive(answer: Answer) {
    if ('method' in answer) {
      if (answer.method !== 'deliver') return;
      const { event } = answer.params;
      if (event.task !== null) this.#events.push(event);
      return;
    }
    const waiting = this.#waiting.get(answer.id);
    if (answer.error) waiting?.fail(new Error(answer.error.message));
    else waiting?.answer(answer.result as never);
  }

  call<M extends AgentMethod>(method: M, params: AgentParams<M>): Promise<AgentResult<M>> {
    const id = ++this.#id;
    return new Promise((answer, fail) => {
      this.#waiting.set(id, { answer, fail });
      this.#transport?.send?.(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** The next task it is to work on, with what was last said in it. */
  async task(): Promise<{ taskId: string; messageId: string; lease: number; lastWord: string | undefined }> {
    return waitFor(() => {
      const at = this.#events.findIndex((event) => event.kind === 'task' && event.lease !== null);
      const [event] = at < 0 ? [] : this.#events.splice(at, 1);
      if (!event) throw new Error(`no task, only ${this.#events.map((each) => each.kind).join() || 'nothing'}`);
      return { taskId: event.task.id, messageId: event.messageId!, lease: event.lease!, lastWord: event.words.at(-1)?.content };
    });
  }

  close() {
    this.#transport?.close();
  }
}
