// What a model's work costs (SYS-10). Prices are in dollars for a million tokens, which is as many millionths of a dollar
// for one: cost comes out in the unit that budgets are kept in.

export interface Price {
  input: number;
  output: number;
  /** Input that the provider had read before; left out, it costs as any other. */
  cached?: number | undefined;
}

export interface Tokens {
  /** All of it, what was cached included. */
  input: number;
  output: number;
  cached: number;
}
export const noTokens: Tokens = { input: 0, output: 0, cached: 0 };

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
});

/** Rounded up: what is spent is never counted as less. */
export function costOf({ input, output, cached }: Tokens, price: Price): number {
  const read = Math.min(cached, input);
  return Math.ceil((input - read) * price.input + read * (price.cached ?? price.input) + output * price.output);
}

/** Fewer letters to a token than in most languages, so that the reserved amount is enough. */
const lettersPerToken = 3;
export const tokensIn = (letters: number): number => Math.ceil(letters / lettersPerToken);

/** The most that a call can cost, as far as it can be known before. */
export const estimateOf = (promptLetters: number, maxOutputTokens: number, price: Price): number =>
  costOf({ input: tokensIn(promptLetters), output: maxOutputTokens, cached: 0 }, price);

/** Of a model whose price nobody has said: dearer than those that are known, because a budget must hold for it as well. */
export const assumedPrice: Price = { input: 15, output: 75 };

// As published by the providers.
const known: Readonly<Record<string, Price>> = {
  'claude-haiku-4-5': { input: 1, output: 5, cached: 0.1 },
  'claude-sonnet-4-5': { input: 3, output: 15, cached: 0.3 },
  'claude-opus-4-5': { input: 5, output: 25, cached: 0.5 },
  'gpt-5': { input: 1.25, output: 10, cached: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cached: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cached: 0.005 },
};

/** A date behind the name is a snapshot of the same model, at the same price. */
export function knownPrice(model: string): Price | undefined {
  const name = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

// Money is kept in millionths of a US dollar, as models are priced.

/** `$0.42`; with four digits where two would show nothing. */
export function asMoney(micros: number): string {
  const dollars = micros / 1e6;
  if (micros > 0 && dollars < 0.0001) return 'under $0.0001';
  return `$${dollars.toFixed(micros > 0 && dollars < 0.01 ? 4 : 2)}`;
}
