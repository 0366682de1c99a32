// A morning of a team, message by message through the engine: whoever is asked takes a turn, and nobody else does.

import { createHash } from 'node:crypto';
import { onBothEngines, SimClock } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { isMessage, read, write } from '../../../../../bench/replay/archive.ts';
import { compare } from '../../../../../bench/replay/compare.ts';
import { generate, ownArchive, seed } from '../../../../../bench/replay/generate.ts';
import { play } from '../../../../../bench/replay/play.ts';
import { workLimits } from '../../../src/engine/limits.ts';
import { startBare } from '../../kit/bare.ts';

onBothEngines('a replay', (engine) => {
  const size = { sqlite: 500, postgres: 150 }[engine];
  test(`[C2A-1] [C2A-4] [C2A-14] of ${size} messages spends no turn on what must not be answered and misses no request`, async () => {
    const clock = new SimClock();
    const bare = await startBare(engine, { clock, limits: workLimits });
    try {
      const archive = generate(seed + 1, size);
      const played = await play({ engine: bare.engine, store: bare.store, clock }, archive);
      const { host, mention, everyone, requests } = compare(archive, played);
      expect(played.unsaid).toEqual([]);
      expect(requests).toBeGreaterThan(size / 10);
      expect(host).toMatchObject({ mustNot: 0, missed: [], unheard: 0 });
      // The measure can fail: others do both.
      expect(mention.missed.length).toBeGreaterThan(0);
      expect(mention.mustNot).toBeGreaterThan(0);
      expect(everyone.mustNot).toBeGreaterThan(host.turns);
      expect(bare.errors).toEqual([]);
    } finally {
      await bare.stop();
    }
  });
});

describe('the archive', () => {
  const text = write(ownArchive());

  test('is made from its seed the same byte for byte, on every machine', () => {
    expect(createHash('sha256').update(text).digest('hex')).toBe('f381f0efb9f1b9014ff77d2f8b62abba6fdfca5b8858c7849dfd75e29122b2f8');
  });

  test('has at least 10,000 messages in channels, and eight agents', () => {
    const { events, members, conversations } = read(text);
    const channels = new Set(conversations.filter(({ kind }) => kind === 'channel').map(({ conversation }) => conversation));
    expect(events.filter((event) => isMessage(event) && channels.has(event.in)).length).toBeGreaterThanOrEqual(10_000);
    expect(members.filter(({ kind }) => kind === 'agent')).toHaveLength(8);
  });

  test.each([
    ['no JSON', '{'],
    ['something else', '{"what":1}'],
    ['a field that it does not know', '{"at":1,"id":"m1","in":"a","by":"b","text":"c","mood":"good"}'],
    ['a time before the last', '{"at":5,"delete":"m1"}\n{"at":4,"delete":"m2"}'],
  ])('is refused, and the line named, with %s', (_, lines) => {
    expect(() => read(lines)).toThrow(/^line \d+ of the archive: /);
  });
});
