// What all eight scenarios share: a hub of their own in a temporary folder, Lars who owns its triggers, monitors that notice
// when a threshold is crossed, tools as small servers on this machine, and a model that says what a script tells it to.

import { everyMember } from '@parley/sdk/pages';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directPatterns, loadFile } from '@parley/core/provoke';
import { type Hub, readConfig, startHub } from '@parley/hub';
import type { AcceptedEvent, PapEvent, ProvokeKind, WholeInvocation } from '@parley/protocol';
import { type Client, createClient } from '@parley/sdk';
import { SimClock } from '@parley/testkit/clock';
import { type OwnTool, startOwnTools } from '@parley/testkit/mcp-tools';
import { type ModelServer, startModels } from '@parley/testkit/models';
import { Bot, until } from '../contact/office.ts';

export { calls, holds, same, says } from '../contact/office.ts';

/** The model that every manifest here names. */
const modelId = 'claude-sonnet-4-20250514';

/** What a monitor watches, and when it speaks up. */
export interface Watch<T> {
  source: string;
  type: string;
  /** Null: no threshold was crossed. Else what the event says of it. */
  crossed: (observed: T) => Record<string, unknown> | null;
}

export class Monitor<T> {
  private readonly watch: Watch<T>;
  private readonly client: Client;
  private readonly clock: SimClock;

  constructor(watch: Watch<T>, client: Client, clock: SimClock) {
    [this.watch, this.client, this.clock] = [watch, client, clock];
  }

  /** Undefined: nothing to tell. `id`: the monitor's own name for it, by which a repeat is known. */
  async sees(observed: T, id: string): Promise<AcceptedEvent | undefined> {
    const { source, type, crossed } = this.watch;
    const data = crossed(observed);
    console.log(`[${source}] ${JSON.stringify(observed)}: ${data === null ? 'nothing to tell' : type}\n`);
    if (data === null) return undefined;
    const body: PapEvent = { pap_version: '0.2', id, type, source, time: new Date(this.clock.now()).toISOString(), data };
    const answer = await this.client.call('emitEvent', { body });
    assert.ok('triggers' in answer);
    return answer;
  }
}

/** What became of an event at its triggers, one word each. */
export const outcome = (event: AcceptedEvent | undefined): string =>
  event === undefined ? 'no event' : event.triggers.map((one) => `${one.triggerId}: ${one.reason ?? one.outcome}`).join(', ');

export class Room {
  readonly lars: Client;
  readonly clock: SimClock;
  readonly model: Bot;
  private readonly hub: Hub;
  private readonly models: ModelServer;
  private readonly ends: (() => Promise<void>)[];

  constructor(hub: Hub, lars: Client, models: ModelServer, clock: SimClock, ends: (() => Promise<void>)[]) {
    [this.hub, this.lars, this.models, this.clock, this.ends] = [hub, lars, models, clock, ends];
    this.model = new Bot('', modelId, models);
  }

  /** A monitor with a token of its own, which may emit this type and no other. */
  async monitor<T>(watch: Watch<T>): Promise<Monitor<T>> {
    await this.lars.call('putProvoke', {
      params: { kind: 'source', id: watch.source },
      body: { version: 0, object: { id: watch.source, types: [watch.type] } },
    });
    const { secret } = await this.lars.call('createToken', { body: { kind: 'source', label: watch.source, source: watch.source } });
    return new Monitor(watch, createClient({ baseUrl: this.hub.url, token: secret }), this.clock);
  }

  /** Tools that manifests have as `mcp://name`. */
  async tools(name: string, tools: Readonly<Record<string, OwnTool>>): Promise<void> {
    const server = await startOwnTools(name, tools);
    this.ends.push(() => server.stop());
    await this.lars.call('setToolServer', { params: { name }, body: { url: server.url } });
  }

  channel(name: string): Promise<{ id: string }> {
    return this.lars.call('createChannel', { body: { name } });
  }

  /** What stands in a file. Its model is the one on this machine; leave `base_url` out, and it is the provider's. */
  async puts(yaml: string): Promise<void> {
    const file = loadFile(yaml, directPatterns());
    assert.ok(file.ok, JSON.stringify(file));
    const put = async (kind: ProvokeKind, object: { id: string }) =>
      this.lars.call('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object: { ...object } } });
    for (const { manifest } of file.manifests)
      await put('manifest', {
        ...manifest,
        ...(manifest.model.provider === 'anthropic' ? { model: { ...manifest.model, base_url: this.models.baseUrl('anthropic') } } : {}),
      });
    for (const { trigger } of file.triggers) await put('trigger', trigger);
    for (const { absence } of file.absences) await put('absence', absence);
  }

  /** Time passes, and what is due by then happens. */
  async passes(minutes: number): Promise<void> {
    this.clock.advance(minutes * 60_000);
    await this.hub.kernel.timers.tick();
  }

  invocation(id: string): Promise<WholeInvocation> {
    return this.lars.call('getInvocation', { params: { invocationId: id } });
  }

  /** Waits until what the event started is in this state. */
  async reaches(state: WholeInvocation['state'], event: AcceptedEvent | undefined): Promise<WholeInvocation> {
    const id = event?.triggers.find(({ invocationId }) => invocationId !== null)?.invocationId;
    assert.ok(id, 'The event started nothing');
    return this.becomes(state, id);
  }

  async becomes(state: WholeInvocation['state'], id: string): Promise<WholeInvocation> {
    await until(`the invocation is ${state}`, async () => (await this.invocation(id)).state === state);
    return this.invocation(id);
  }

  /** The invocations of a trigger, the oldest first. */
  async started(trigger: string): Promise<string[]> {
    const { invocations } = await this.lars.call('listInvocations', { query: { trigger } });
    return invocations.map(({ id }) => id).toReversed();
  }

  async waitsFor(trigger: string, count: number): Promise<string[]> {
    await until(`${trigger} has started ${count}`, async () => (await this.started(trigger)).length >= count);
    return this.started(trigger);
  }

  /** What stands in a channel, without the time. */
  async said(conversationId: string): Promise<string> {
    const { messages } = await this.lars.call('listMessages', { params: { conversationId }, query: {} });
    const { members } = await everyMember(this.lars);
    const names = new Map(members.map(({ id, handle }) => [id, handle]));
    return messages.map(({ authorId, body }) => `[${names.get(authorId ?? '')}] ${body}`).join('\n');
  }
}

/** Plays a scenario on a hub of its own, with PARLEY_DATABASE_URL on an empty database. `at`: how late it is when it begins. */
export async function play(title: string, at: string, scenario: (room: Room) => Promise<void>): Promise<void> {
  console.log(`── ${title} ──\n`);
  const data = await mkdtemp(join(tmpdir(), 'parley-provoke-'));
  const models = await startModels();
  const clock = new SimClock(Date.parse(at));
  const where = { PARLEY_DATA: data, PARLEY_DATABASE_URL: process.env['PARLEY_DATABASE_URL'] };
  const config = readConfig({ ...where, PARLEY_PORT: '0', PARLEY_LOG: 'error', PARLEY_COMPOSE_MS: '0' });
  const hub = await startHub(config, { clock });
  const ends: (() => Promise<void>)[] = [() => models.stop(), () => rm(data, { recursive: true, force: true })];
  try {
    const operator = createClient({ baseUrl: hub.url, token: hub.dataDir.operatorKey });
    const { id } = await operator.call('addMember', { body: { kind: 'human', handle: 'lars', displayName: 'Lars', role: 'owner' } });
    const { secret } = await operator.call('createToken', { body: { kind: 'person', memberId: id, label: 'example' } });
    const lars = createClient({ baseUrl: hub.url, token: secret });
    // The provider's own key goes to its provider unless another host is named, as the model on this machine is.
    const hosts = [new URL(models.baseUrl('anthropic')).host];
    await lars.call('setSecret', { params: { name: 'anthropic' }, body: { value: 'no key is needed here', hosts } });
    const room = new Room(hub, lars, models, clock, ends);
    await scenario(room);
    assert.equal(room.model.left, 0, 'The model was asked less often than it had something to say');
    console.log('All as promised.\n');
  } finally {
    await hub.stop();
    for (const end of ends) await end();
  }
}
