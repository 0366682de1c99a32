// One question to one model, for a caller outside the hub's turns, such as a person's own peer. The separate entry `@parley/hub/models`.

import type { ModelConfig } from '@parley/protocol';
import type { Clock } from '../../clock.ts';
import type { Outbound } from '../../outbound/guarded-fetch.ts';
import type { Tool } from '../brain.ts';
import { askModels, Meter } from './ask-models.ts';
import type { ModelToolCall } from './call.ts';
import { keyNameOf } from './provider.ts';

export { type Clock, systemClock } from '../../clock.ts';

export interface SingleQuestion {
  config: Pick<ModelConfig, 'provider' | 'model' | 'baseUrl'>;
  /** Undefined: there is none. */
  key: string | undefined;
  system: string;
  user: string;
  tools: readonly Pick<Tool, 'name' | 'description' | 'input'>[];
  callable: Outbound;
  clock: Clock;
  signal: AbortSignal;
}

/** The calls of the model; or why it did not answer, after the retries that may help. */
export async function askOnce({
  config,
  key,
  system,
  user,
  tools,
  callable,
  clock,
  signal,
}: SingleQuestion): Promise<{ calls: ModelToolCall[] } | { failed: string; wantsKey: boolean }> {
  const answer = await askModels(
    { system, messages: [{ role: 'user', content: user }], tools: tools.map((one) => ({ ...one, ...notRun })) },
    {
      models: [{ ...config, ...(key === undefined ? {} : { key: keyNameOf(config) ?? 'own' }) }],
      meter: new Meter(),
      keyFor: async () => key,
      callable,
      clock,
      signal,
    },
  );
  if ('said' in answer) return { calls: answer.said.calls };
  return { failed: answer.failed, wantsKey: answer.failure === 'no_key' };
}

/** The caller reads the calls; nothing runs them. */
const notRun = { readOnly: true, keyed: false, run: async () => ({ text: '' }) };
