import type { Output } from '../output.ts';
import { type GlobalOptions, inTerms, type Settings } from '../settings.ts';

/** Returns when the hub is up; it runs on until a signal stops it. */
export async function up(settings: Settings, options: GlobalOptions & { port?: string }, output: Output): Promise<void> {
  const { up: start } = await import('@parley/hub');
  const env = { ...settings.env, ...(options.port === undefined ? {} : { PARLEY_PORT: options.port }) };
  try {
    if (output.json) await start(env, (arrival) => output.result(arrival, ''));
    else await start(env);
  } catch (error) {
    throw inTerms(options, error as Error);
  }
}
