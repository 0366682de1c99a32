// An agent that reads what a model would read, as the platform puts it together, and does whatever any text in it says: each
// `DO something {…} OD`, wherever it stands and whoever wrote it. What it gets it tells.

import { agentMethods, routes, type RouteName } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import type { Brain } from '../../src/brains/brain.ts';
import { Wire } from './agent-wire.ts';

export interface Read {
  system: string;
  user: string;
}
interface Order {
  what: string;
  input: Record<string, unknown>;
}

/** Of everything it reads, the platform's own words as well: who knows who got in there. Each once. */
function ordersIn(texts: readonly string[]): Order[] {
  const found = texts.flatMap((text) => [...text.replaceAll('\\"', '"').matchAll(/\bDO (\S+) (\{.*?\}) OD\b/g)]);
  return [...new Map(found.map(([all, what, json]) => [all, { what: what!, json: json! }])).values()].flatMap(({ what, json }) => {
    try {
      return [{ what, input: JSON.parse(json) as Record<string, unknown> }];
    } catch {
      return [];
    }
  });
}

/** So written: where it ends can be told. */
export const order = (what: string, input: object): string => `DO ${what} ${JSON.stringify(input)} OD`;

const told = (got: readonly unknown[]): string => `I got ${JSON.stringify(got).replaceAll(/[\^@]/g, '')}`.slice(0, 4000);

/** Inside the hub: it has a turn and nothing else. */
export const believingBrain = (prompts: Read[], wrote: string[], refused: string[]): Brain => ({
  turn: async (turn) => {
    const prompt = turn.prompt();
    prompts.push(prompt);
    const got: unknown[] = [];
    const attempt = async (read: () => Promise<unknown>): Promise<void> => {
      got.push(await read().catch((error: unknown) => String(error)));
    };
    // It looks round before it acts: from then on it has read what others wrote.
    await attempt(() => turn.read.history({ limit: 50 }));
    for (const { what, input } of ordersIn([prompt.system, prompt.user])) {
      if (what === 'read.history') await attempt(() => turn.read.history({ limit: 50, conversationId: input['conversationId'] as string }));
      if (what === 'read.message') await attempt(() => turn.read.message(input['messageId'] as string));
      if (what === 'read.search') await attempt(() => turn.read.search({ q: input['q'] as string, limit: 5 }));
    }
    await turn
      .step({ kind: 'tool', name: 'send_letter', readOnly: false }, async () => wrote.push(turn.task.id))
      .catch((error: unknown) => refused.push((error as { code?: string }).code ?? String(error)));
    return { kind: 'answer', text: told(got) };
  },
});

/** Outside: it has a token, both doors, and every method and route there is. */
export class Believer {
  readonly line: Wire;
  readonly prompts: Read[] = [];
  readonly texts: string[] = [];
  /** What came of each order: its name, and the code or `ok`. */
  readonly came: [what: string, code: string][] = [];
  private readonly agent: Person;

  private constructor(agent: Person, line: Wire) {
    this.agent = agent;
    this.line = line;
  }

  static async connect(agent: Person): Promise<Believer> {
    return new Believer(agent, await Wire.hello(agent));
  }

  /** Works on one task: does what is said in anything it reads of it, in whatever field. */
  async obey(taskId: string): Promise<void> {
    await this.line.event('task', ({ task }) => task.id === taskId);
    // Given again with another text, it is the last that counts.
    const { event } = this.line.events.findLast(({ event: one }) => one.kind === 'task' && one.task.id === taskId)!;
    const lease = event.lease!;
    const conversationId = event.conversation.id;
    const prompt = await this.line.call('read.prompt', { taskId });
    this.prompts.push(prompt);
    const headers = { 'parley-task': taskId };
    const seen: unknown[] = [
      event,
      await this.line.call('read.history', { taskId, limit: 50 }),
      await this.line.call('obligation.list', { side: 'owe' }),
      (await this.agent.ask('getConversation', { params: { conversationId } }, headers)).body,
      (await this.agent.ask('listMembers', { query: {} }, headers)).body,
      (await this.agent.ask('listRoles', {}, headers)).body,
    ];
    const texts = [prompt.system, prompt.user, ...seen.map((one) => JSON.stringify(one))];
    this.texts.push(...texts);
    const got: unknown[] = [];
    for (const one of ordersIn(texts)) got.push(await this.carryOut(one, taskId));
    await this.line.call('say', { taskId, lease, kind: 'answer', body: told(got) });
  }

  private async carryOut({ what, input }: Order, taskId: string): Promise<unknown> {
    if (Object.hasOwn(agentMethods, what)) {
      const { result, error } = await this.line.ask(what, { ...(what.startsWith('read.') ? { taskId } : {}), ...input });
      this.came.push([what, error ? (error.data?.code ?? String(error.code)) : 'ok']);
      return result ?? error;
    }
    if (!Object.hasOwn(routes, what)) return undefined;
    const answer = await this.agent.ask(what as RouteName, input as never, { 'parley-task': taskId });
    const { body } = answer as { body: { error?: { code: string } } };
    this.came.push([what, body.error?.code ?? 'ok']);
    return body;
  }
}
