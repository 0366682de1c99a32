// A hub with a clock of its own, and what tests of provoking say again and again.

import type { PapEvent, ProvokeKind, RouteOutput, SentEvent } from '@parley/protocol';
import { type Ground, makeOnce, Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';

export interface Provoking {
  kit: TestHub;
  clock: SimClock;
  owner: Person;
  /** Writes it, whichever version there is. */
  put: (kind: ProvokeKind, object: { id: string } & Record<string, unknown>, who?: Person) => Promise<RouteOutput<'putProvoke'>>;
  /** A trigger on a type, with a manifest of no risk. */
  trigger: (id: string, type: string, more?: Record<string, unknown>) => Promise<void>;
  /** By the operator, whose events every trigger takes; a member names no source. */
  emit: (event: Partial<PapEvent> & { type: string }, who?: Person) => Promise<Accepted>;
}
export type Accepted = Extract<RouteOutput<'emitEvent'>, { triggers: unknown }>;

let count = 0;
export const event = (more: Partial<PapEvent> & { type: string }): PapEvent => ({
  pap_version: '0.2',
  id: `e-${++count}`,
  source: 'monitoring.test',
  time: '2026-03-11T06:00:00Z',
  data: {},
  ...more,
});

/** As a member sends it: without a source, which the hub sets. */
export const sent = (more: Partial<PapEvent> & { type: string }): SentEvent => {
  const { source: _source, ...rest } = event(more);
  return rest;
};

/** One for all tests of a suite. */
export const provokingFor = (...settings: Parameters<typeof startProvoking>): Provoking =>
  makeOnce(
    () => startProvoking(...settings),
    ({ kit }) => kit.stop(),
  );

export async function startProvoking(engine: Ground['engine'], overrides: Parameters<typeof startTestHub>[1] = {}): Promise<Provoking> {
  const clock = new SimClock(Date.UTC(2026, 2, 11, 6));
  const kit = await startTestHub(engine, { clock, ...overrides }, { PARLEY_LOG: 'silent' });
  const { owner } = kit;
  const put: Provoking['put'] = async (kind, object, who = owner) => {
    const { body } = await who.ask('getProvoke', { params: { kind, id: object.id } });
    return who.call('putProvoke', { params: { kind, id: object.id }, body: { version: body.version ?? 0, object } });
  };
  await put('manifest', { id: 'calm', risk_level: 'read_only' });
  // What is begun stays as it was begun: how it is run is looked at elsewhere.
  await owner.call('halt', {});
  return {
    kit,
    clock,
    owner,
    put,
    trigger: async (id, type, more = {}) => void (await put('trigger', { id, agent: 'calm', match: { type }, ...more })),
    emit: async (one, who = kit.operator) => {
      const { source, ...body } = event(one);
      return (await who.call('emitEvent', { body: who === kit.operator || one.source ? { ...body, source } : body })) as Accepted;
    },
  };
}

/** A registered source that may say anything, by its own token. */
export async function monitorOf({ kit, owner, put }: Pick<Provoking, 'kit' | 'owner' | 'put'>, id: string): Promise<Person> {
  await put('source', { id, types: ['*'] });
  const { secret } = await owner.call('createToken', { body: { kind: 'source', label: id, source: id } });
  return new Person(kit.url, secret, owner.id, id);
}
