import { ParleyError } from '@parley/protocol';
import { expect, test } from 'vitest';
import { asUnreadCall } from './inbox.ts';

const thrownFor = (error: unknown): unknown => {
  try {
    return asUnreadCall('chk_1', 'approve')(error);
  } catch (thrown) {
    return thrown;
  }
};

test('[SYS-1] a call that was cut short is refused with the commands that show and approve it', () => {
  const thrown = thrownFor(new ParleyError('unseen')) as { message: string; hint: string };
  expect(thrown).toMatchObject({
    code: 'unseen',
    exit: 'failed',
    hint: expect.stringMatching(/inbox chk_1` .*inbox chk_1 approve --seen DIGEST`/),
  });
  expect(`${thrown.message} ${thrown.hint}`).not.toMatch(/GET|:checkpointId/);
});

test('any other error stays what it is', () => {
  const other = new ParleyError('not_found');
  expect(thrownFor(other)).toBe(other);
});
