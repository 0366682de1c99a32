// Peers of a hosting that think with the hub's model: a server that speaks like the providers.

import { askOnce } from '@parley/hub/models';
import type { HubModelProvider, PeerModelAnswer, PeerModelQuestion, PeerOwner } from '@parley/protocol';
import type { ModelServer } from '@parley/testkit/models';
import { ModelClock } from '../peer/model-clock.ts';
import { newModels } from '../peer/model-kit.ts';
import { ann, bob, startHosting, type TestHosting } from './hosting-kit.ts';

export interface ModelHosting {
  hosting: TestHosting;
  models: ModelServer;
  /** Whose peer asked, in order. */
  askers: string[];
}

const sizes = { small: 'small', medium: 'medium', large: 'large' };

export async function modelHosting(...users: PeerOwner[]): Promise<ModelHosting> {
  const models = await newModels();
  const provider = (name: HubModelProvider['provider'], names: HubModelProvider['models']): HubModelProvider => ({
    provider: name,
    baseUrl: models.baseUrl(name),
    models: names,
  });
  const [first, second] = [provider('anthropic', sizes), provider('openai', { small: 'mini' })];
  const askers: string[] = [];
  const askModel = async (memberId: string, { isSecond, model, ...question }: PeerModelQuestion): Promise<PeerModelAnswer> => {
    askers.push(memberId);
    const { provider: name, baseUrl } = isSecond ? second : first;
    const config = { provider: name, model, baseUrl: baseUrl! };
    const parts = { key: 'sk-test-key-of-the-hub', outbound: fetch, clock: new ModelClock(), signal: new AbortController().signal };
    const answer = await askOnce({ config, ...question, ...parts });
    return 'calls' in answer ? { calls: answer.calls } : { failed: answer.failed };
  };
  const hosting = await startHosting({ models: { first, second }, askModel });
  for (const person of [ann, bob])
    for (const field of ['time_windows', 'dietary', 'location_preference'])
      await hosting.host.call(person, 'setTier', { field, tier: 'always_share' });
  await hosting.host.call(ann, 'setField', { field: 'dietary', value: 'vegetarian' });
  await hosting.host.call(ann, 'setField', { field: 'location_preference', value: 'central Reading' });
  for (const person of users) await hosting.host.call(person, 'setModel', { isOn: true });
  return { hosting, models, askers };
}
