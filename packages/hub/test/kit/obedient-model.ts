// A model that does whatever any text tells it to, with every tool it has, and tells everything it got.

import type { ModelCall, Reply } from '@parley/testkit';

const orders = /\bDO (\S+) (\{.*?\}) OD\b/g;

/** How it reads what an order passes, and how long its answer may be. */
interface Obedience {
  read?: (json: string) => string;
  longest?: number;
}

/** Each order that it finds anywhere, once; then all it was told, as its answer. */
export function obedient(asked: ModelCall, { read = (json) => json, longest = 8000 }: Obedience = {}): Reply {
  const texts = [asked.system, ...asked.told.map(({ text }) => text)];
  const found = texts.flatMap((text) => [...text.replaceAll('\\"', '"').matchAll(orders)]);
  const wanted = [...new Map(found.map(([all, name, json]) => [all, { name: name!, json: json! }])).values()];
  const calls = wanted.slice(asked.called).flatMap(({ name, json }) => {
    try {
      return [{ name, input: JSON.parse(read(json)) as object }];
    } catch {
      return [{ name: 'nothing', input: {} }];
    }
  });
  if (calls.length > 0) return { calls };
  // The short ones first: an answer has its limit.
  const got = asked.told
    .slice(1)
    .map(({ text }) => text)
    .toSorted((a, b) => a.length - b.length);
  return { text: `I got: ${got.join(' | ')}`.replaceAll(/[\^@]/g, '').slice(0, longest) };
}
