// Which models a person's peer thinks with. Settings and keys lie in the sealed folder of the peer.

import { badInput, type OwnModels, type ShownModelProvider } from '@parley/protocol';
import { z } from 'zod';

/** From the cheapest to the most capable one (A2C-37). */
export const modelSizes = ['small', 'medium', 'large'] as const;
export type ModelSize = (typeof modelSizes)[number];

const Name = z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

export const ModelProvider = z.strictObject({
  provider: z.enum(['anthropic', 'openai', 'openai_compatible']),
  baseUrl: z.string().max(500).nullable(),
  models: z.partialRecord(z.enum(modelSizes), Name),
  /** The key itself, sealed with the other records; or the variable of the environment that holds it. */
  key: z.union([z.strictObject({ value: Name }), z.strictObject({ variable: z.string().regex(/^[A-Za-z_]\w{0,99}$/) })]).nullable(),
});
export type ModelProvider = z.output<typeof ModelProvider>;

export interface ModelSettings {
  first: ModelProvider;
  /** Gets the question when the first one fails (A2C-35). */
  second: ModelProvider | null;
}

export const viewModel = (settings: ModelSettings | undefined): OwnModels => ({
  first: settings ? viewProvider(settings.first) : null,
  second: settings?.second ? viewProvider(settings.second) : null,
});

const viewProvider = ({ key, ...others }: ModelProvider): ShownModelProvider => ({
  ...others,
  key: key === null ? 'none' : 'value' in key ? 'stored' : key,
});

export function mustBeProvider(value: unknown): ModelProvider {
  const read = ModelProvider.safeParse(value);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    throw badInput(`${path.join('.') || 'The model'} is not valid: ${message}.`);
  }
  const { provider, baseUrl, models } = read.data;
  if (Object.keys(models).length === 0) throw badInput('No model is named. Name one with --small, --medium or --large.');
  if (provider === 'openai_compatible' && baseUrl === null)
    throw badInput('A server that speaks like OpenAI needs its address: add --base-url.');
  if (baseUrl !== null) mustBeBaseUrl(baseUrl);
  return read.data;
}

const ownMachine = ['localhost', '127.0.0.1', '[::1]'];

/** Prompts and keys go there. */
function mustBeBaseUrl(text: string): void {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.includes(url.hostname));
  if (url && (url.username !== '' || url.password !== ''))
    throw badInput('The address of a model holds a name or a password. Leave them out, and give the key by itself.');
  if (!isSafe)
    throw badInput(
      `The address of a model begins with https://, or with http:// on this machine; this one is ${JSON.stringify(text.slice(0, 200))}.`,
    );
}

/** The model of this size, or the next larger one, or the largest there is. */
export function modelOfSize({ models }: ModelProvider, size: ModelSize): string {
  const larger = modelSizes.slice(modelSizes.indexOf(size)).map((one) => models[one]);
  const smaller = modelSizes.toReversed().map((one) => models[one]);
  return [...larger, ...smaller].find((name) => name !== undefined)!;
}
