import { describe, expect, it } from 'vitest';
import { utf8 } from '@parley/protocol/relay';
import { decodeGroupState, encodeGroupState } from 'ts-mls';
import { consumeRatchet } from 'ts-mls/secretTree.js';
import { hour, Line } from '../../test/kit/line.ts';
import { withoutExpiredKeys } from './session.ts';
import { suite } from './suite.ts';

const day = 24 * hour;
const minute = 60_000;

/** Ann's end after so many packets that nobody gets: her ratchet alone moves on. */
async function lose(line: Line, count: number): Promise<void> {
  const [state] = decodeGroupState(line.ends.ann!.group.slice(), 0)!;
  for (let n = 0; n < count; n += 1) {
    const { newTree } = await consumeRatchet(state.secretTree, state.privatePath.leafIndex * 2, 'application', suite);
    state.secretTree = newTree;
  }
  line.ends.ann = { ...line.ends.ann!, group: encodeGroupState(state) };
}

describe('packets that come late', () => {
  it('[A2C-6] open after 2,000 others were lost or overtook them, and a jump beyond opens nothing', async () => {
    const line = await Line.begun();
    const first = await line.sealed('ann', 'first');
    await lose(line, 1999);
    const after = await line.sealed('ann', 'after 2,000');
    expect(await line.opened('bob', after)).toBe('after 2,000');
    expect(await line.opened('bob', first)).toBe('first');
    line.now += minute;
    await lose(line, 2001);
    const session = line.ends.bob;
    await expect(line.opened('bob', await line.sealed('ann', 'too far'))).rejects.toThrow('at most 2000 may be missing');
    expect(line.ends.bob).toBe(session);
  });

  it('[A2C-9] jumps are limited to 2,000 packets a minute, also those of packets that open nothing', async () => {
    const line = await Line.begun();
    await lose(line, 1500);
    const good = await line.sealed('ann', 'good');
    // Another header is noticed by the box, after all steps were made.
    await expect(line.opened('bob', good, utf8('{"header":2}'))).rejects.toThrow();
    await expect(line.opened('bob', good)).rejects.toThrow('Try this one again later.');
    line.now += minute;
    expect(await line.opened('bob', good)).toBe('good');
  });

  it('[A2C-5] keys of skipped packets are erased after 32 days', async () => {
    const line = await Line.begun();
    const [early, late] = [await line.sealed('ann', 'early'), await line.sealed('ann', 'late')];
    await line.opened('bob', await line.sealed('ann', 'overtakes both'));
    line.now += 31 * day;
    expect(await line.opened('bob', early)).toBe('early');
    line.now += day;
    await expect(line.opened('bob', late)).rejects.toThrow('Desired gen in the past');
    await line.say('ann', 'goes on');
    expect(line.ends.bob!.waiting.overtaken).toEqual([]);
  });

  it('[A2C-5] two earlier epochs are kept, and 32 days at most', async () => {
    const line = await Line.begun();
    const ofFirst = await line.sealed('ann', 'of the first epoch');
    await line.say('bob', 'commits');
    const ofSecond = await line.sealed('ann', 'of the second');
    line.now += hour;
    await line.say('ann', 'commits');
    expect(await line.opened('bob', ofFirst)).toBe('of the first epoch');
    const again = await line.sealed('ann', 'of the third');
    line.now += hour;
    await line.say('bob', 'commits');
    line.now += hour;
    await line.say('ann', 'commits');
    await expect(line.opened('bob', ofSecond)).rejects.toThrow('whose keys are gone');
    line.now += 31 * day;
    expect(await line.opened('bob', again)).toBe('of the third');
    line.now += day;
    await line.say('bob', 'goes on without a commit');
    expect(line.ends.bob!.waiting.endedEpochs.every(({ at }) => line.now - at < 32 * day)).toBe(true);
  });

  it('[A2C-5] a session that nobody uses can be relieved of old keys too', async () => {
    const line = await Line.begun();
    const lost = await line.sealed('ann', 'lost');
    await line.opened('bob', await line.sealed('ann', 'overtakes it'));
    const before = line.ends.bob!;
    line.ends.bob = withoutExpiredKeys(before, line.now + 32 * day);
    expect(line.ends.bob.group.length).toBeLessThan(before.group.length);
    await expect(line.opened('bob', lost)).rejects.toThrow('Desired gen in the past');
  });

  it('[A2C-5] a lost commit comes along again until the peer has answered in its epoch', async () => {
    const line = await Line.begun();
    await line.sealed('bob', 'lost with the commit');
    await line.sealed('bob', 'lost again');
    expect(await line.say('bob', 'third')).toBe('third');
    expect(line.ends.bob!.handshake).not.toBeNull();
    expect(await line.say('bob', 'repeats a commit that was applied')).toBe('repeats a commit that was applied');
    await line.say('ann', 'answers');
    expect(line.ends.bob!.handshake).toBeNull();
  });
});
