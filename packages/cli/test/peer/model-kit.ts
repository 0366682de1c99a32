// Models for peers: a server that speaks like the providers.

import { type ModelCall, type ModelServer, type Reply, startModels } from '@parley/testkit/models';
import type { OwnModelProvider as ModelProvider } from '@parley/protocol';
import { onTestFinished } from 'vitest';
import { commands, dinnerPair, exchangeAll } from './negotiation-kit.ts';
import type { Person } from './people-kit.ts';

export async function newModels(): Promise<ModelServer> {
  const models = await startModels();
  onTestFinished(() => models.stop());
  return models;
}

export const providerAt = (
  models: ModelServer,
  provider: ModelProvider['provider'] = 'anthropic',
  names: ModelProvider['models'] = { small: 'small', medium: 'medium', large: 'large' },
): ModelProvider => ({ provider, baseUrl: models.baseUrl(provider), models: names, key: { value: 'sk-test-key-of-the-peer' } });

export const call = (name: string, input: object): Reply => ({ calls: [{ name, input: { confidence: 0.9, ...input } }] });

/** Everything that a provider was given, as one text. */
export const textOfCall = ({ system, told, body }: ModelCall): string => JSON.stringify([system, told, body]);

/** The next Friday after now, at an hour in UTC. */
export function fridayAt(hour: number): string {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() + ((5 - date.getUTCDay() + 7) % 7 || 7));
  return `${date.toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00Z`;
}

export const dinner = call('propose', {
  event: 'dinner',
  start: fridayAt(18),
  end: fridayAt(20),
  place: 'Dopo',
  reasoning: 'Both are free',
});
export const opening = call('send_context', { share: ['time_windows', 'dietary', 'location_preference'] });

/** Ann's model opens; Bob's rules ask for two fields, she shares none, and they propose. */
export async function openingWith(script: Reply[], ...more: Reply[]): Promise<[Person, Person, ModelServer]> {
  const [ann, bob] = await dinnerPair();
  const models = await newModels();
  models.script('small', script);
  for (const name of ['medium', 'large']) models.script(name, more);
  await commands(ann).setOwnModel({ provider: providerAt(models) });
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await exchangeAll(ann, bob);
  return [ann, bob, models];
}
