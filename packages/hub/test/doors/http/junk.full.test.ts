// Every route of the protocol, asked with junk. What the route's own schemas refuse must come back as 4xx with each field
// named; whatever the junk, the hub never fails and stores nothing.

import { problemsOf, routes, type Route, type RouteName } from '@parley/protocol';
import { hubFor, makeOnce, often, onBothEngines, seedFromEnv } from '@parley/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { raw, whileTalking } from '../../kit/bystander.ts';

interface Junk {
  params: Record<string, string>;
  query: [string, string][];
  body: unknown;
}

const nasty = fc.constantFrom(
  '',
  ' ',
  '0',
  '-1',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  '%00',
  '../../..',
  "' or 1=1 --",
  '$1',
  '?',
  '\u0000',
  '😀',
  '‮',
  'a'.repeat(199),
  'a'.repeat(5000),
);
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ maxLength: 60 }), nasty);

/** Junk, often with the names of real fields, so that it gets past the first look. */
function bodyJunk(schema: z.ZodType | undefined): fc.Arbitrary<unknown> {
  const shape = (schema as { shape?: object } | undefined)?.shape ?? {};
  const fields = Object.fromEntries(Object.keys(shape).map((field) => [field, fc.oneof(fc.jsonValue({ maxDepth: 3 }), text)]));
  return fc.oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.record(fields, { requiredKeys: [] }),
    fc.record(fields),
    fc.dictionary(text, fc.jsonValue()),
  );
}

function junkFor(route: Route): fc.Arbitrary<Junk> {
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const known = Object.keys((route.query as { shape?: object } | undefined)?.shape ?? {});
  const queryKey = known.length > 0 ? fc.oneof(fc.constantFrom(...known), text) : text;
  return fc.record({
    params: fc.record(Object.fromEntries(names.map((name) => [name, text.filter((value) => value.isWellFormed())]))),
    query: fc.array(fc.tuple(queryKey, text), { maxLength: 4 }),
    body: route.body ? bodyJunk(route.body) : fc.constant(undefined),
  });
}

/** What the route itself says to it: the fields it would name, or none when it is well-formed by chance. */
function complaints(route: Route, junk: Junk): string[] {
  const grouped = Map.groupBy(junk.query, ([key]) => key);
  const query = Object.fromEntries(
    [...grouped].map(([key, pairs]) => [key, pairs.length === 1 ? pairs[0]![1] : pairs.map((pair) => pair[1])]),
  );
  const parts = {
    params: junk.params,
    query,
    body: junk.body === undefined ? undefined : (JSON.parse(JSON.stringify(junk.body)) as unknown),
  };
  return (['params', 'query', 'body'] as const).flatMap((part) => {
    const parsed = route[part]?.safeParse(parts[part]);
    return parsed === undefined || parsed.success ? [] : problemsOf(parsed.error).map(({ field }) => field);
  });
}

// These take nothing that could be wrong; signing out is no test of nonsense.
const plain = Object.entries(routes as Record<string, Route>)
  .filter(([, route]) => !route.params && !route.query && !route.body)
  .map(([name]) => name);

onBothEngines('junk', (engine) => {
  const kit = hubFor(engine);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob', 'owner'));

  const asked = (Object.keys(routes) as RouteName[]).filter((name) => !plain.includes(name));
  test.each(asked)('[SYS-4] %s refuses it by name, stores nothing and goes on', async (name) => {
    const route: Route = routes[name];
    const ask = async (junk: Junk): Promise<void> => {
      const fields = complaints(route, junk);
      fc.pre(fields.length > 0);
      const path = route.path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(junk.params[key]!));
      const query = new URLSearchParams(junk.query).toString();
      const headers = {
        authorization: `Bearer ${bob.token}`,
        host: new URL(kit.url).host,
        ...(route.body ? { 'content-type': 'application/json' } : {}),
      };
      const body = junk.body === undefined ? {} : { body: JSON.stringify(junk.body) };
      const answer = await raw(kit.url, {
        method: route.method,
        path: `/api/v1${path}${query === '' ? '' : `?${query}`}`,
        headers,
        ...body,
      });
      const said = JSON.stringify(answer.body);
      expect(answer.status, said).toBeGreaterThanOrEqual(400);
      expect(answer.status, said).toBeLessThan(500);
      expect(answer.body.error?.message, said).toMatch(/\S/);
      const { code, problems = [] } = answer.body.error!;
      // An empty part of a path makes it the path of no route, an overlong one of none at all; `__proto__` makes a body no JSON.
      // What is read where it is understood is asked more there, or for its secret first.
      const elsewhere = route.unparsed || code === 'not_found' || code === 'malformed_json' || problems[0]?.field === '(path)';
      const named = problems.map(({ field }) => field).toSorted();
      expect([code, ...named], said).toEqual(elsewhere ? [code, ...named] : ['invalid_request', ...fields.toSorted()]);
    };
    await whileTalking(kit, ann, kit.owner, () =>
      fc.assert(fc.asyncProperty(junkFor(route), ask), { seed: seedFromEnv(), numRuns: often(10, 40, engine === 'sqlite' ? 20 : 10) }),
    );
  });
});
