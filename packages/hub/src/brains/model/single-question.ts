// One question to one model, for a caller outside the hub's turns, such as a person's own peer. The separate entry `@parley/hub/models`.

import type { ModelConfig } from '@parley/protocol';
import type { Clock } from '../../clock.ts';
import type { Outbound } from '../../outbound/guarded-fetch.ts';
import { askModels, Meter, questionWithoutRuns, type QuestionTexts } from './ask-models.ts';
import type { ModelToolCall } from './call.ts';
import { keyNameOf } from './provider.ts';

export { type Clock, systemClock } from '../../clock.ts';

export interface SingleQuestion extends QuestionTexts {
  config: Pick<ModelConfig, 'provider' | 'model' | 'baseUrl'>;
  /** Undefined: there is none. */
  key: string | undefined;
  outbound: Outbound;
  clock: Clock;
  signal: AbortSignal;
}

/** The calls of the model; or why it did not answer, after the retries that may help. */
export async function askOnce({
  config,
  key,
  outbound,
  clock,
  signal,
  ...texts
}: SingleQuestion): Promise<{ calls: ModelToolCall[] } | { failed: string; wantsKey: boolean }> {
  const answer = await askModels(questionWithoutRuns(texts), {
    models: [{ ...config, ...(key === undefined ? {} : { key: keyNameOf(config) ?? 'own' }) }],
    meter: new Meter(),
    keyFor: async () => key,
    outbound,
    clock,
    signal,
  });
  if ('said' in answer) return { calls: answer.said.calls };
  return { failed: answer.failed, wantsKey: answer.failure === 'no_key' };
}
