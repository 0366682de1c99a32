import { expect, test } from 'vitest';
import { BlockLists } from './block-lists.ts';
import { Intake } from './intake.ts';
import { queueBounds, QueueLimits } from './queue-limits.ts';
import type { NewFrame, QueuedFrame, RelayStore } from './store/port.ts';

const frame: QueuedFrame = {
  sequence: 1,
  from: 'a',
  to: 'b',
  tag: 't',
  packetId: 'pkt_1',
  sentAt: 0,
  storedAt: 0,
  bytes: new Uint8Array(1),
};

function intakeOver(accept: RelayStore['accept']): { intake: Intake; failures: unknown[] } {
  const failures: unknown[] = [];
  const limits = new QueueLimits(queueBounds, [], new BlockLists([]));
  const options = {
    store: { accept } as RelayStore,
    limits,
    onStored: () => {},
    onFailure: (error: unknown) => failures.push(error),
  };
  return { intake: new Intake(options), failures };
}

test('[A2C-6] a full disk refuses frames, and a shutdown still ends', async () => {
  const { intake, failures } = intakeOver(() => Promise.reject(new Error('disk full')));
  const answers: unknown[] = [];
  intake.add(frame, (answer) => answers.push(answer));
  await intake.drain();
  intake.acknowledge([frame]);
  await intake.drain();
  expect(answers).toEqual([{ refused: 'disk_full' }]);
  expect(failures).toHaveLength(2);
});

test('[A2C-6] acknowledgements that could not be stored go with the next frame', async () => {
  const groups: { frames: readonly NewFrame[]; acknowledged: readonly QueuedFrame[] }[] = [];
  const { intake } = intakeOver(async (frames, acknowledged) => {
    groups.push({ frames, acknowledged });
    if (groups.length === 1) throw new Error('disk full');
    return frames.map((one) => ({ stored: { ...one, sequence: 2 } }));
  });
  intake.acknowledge([frame]);
  await intake.drain();
  intake.add(frame, () => {});
  await intake.drain();
  expect(groups.map(({ frames, acknowledged }) => [frames.length, acknowledged.map(({ sequence }) => sequence)])).toEqual([
    [0, [1]],
    [1, [1]],
  ]);
});

test('[A2C-6] frames that come while a group fails are refused with it, so that none overtakes another', async () => {
  let calls = 0;
  const { intake } = intakeOver(async (frames) => {
    if ((calls += 1) === 1) {
      intake.add({ ...frame, packetId: 'pkt_2' }, (answer) => answers.push(answer));
      throw new Error('no server');
    }
    return frames.map((one) => ({ stored: { ...one, sequence: 2 } }));
  });
  const answers: unknown[] = [];
  intake.add(frame, (answer) => answers.push(answer));
  await intake.drain();
  await intake.drain();
  expect(answers).toEqual([{ refused: 'disk_full' }, { refused: 'disk_full' }]);
});

test('[A2C-6] acknowledgements that come while others are stored are stored as well', async () => {
  const stored: number[][] = [];
  const { intake } = intakeOver(async (_, acknowledged) => {
    stored.push(acknowledged.map(({ sequence }) => sequence));
    if (stored.length === 1) intake.acknowledge([{ ...frame, sequence: 2 }]);
    return [];
  });
  intake.acknowledge([frame]);
  await intake.drain();
  expect(stored).toEqual([[1], [2]]);
});

test('[A2C-6] a login waits for frames that came before it, and not for a stream of them that does not end', async () => {
  let groups = 0;
  const answered: string[] = [];
  const add = (packetId: string): void => intake.add({ ...frame, packetId }, () => answered.push(packetId));
  const { intake } = intakeOver(async (frames) => {
    if ((groups += 1) < 100) add(`pkt_later_${groups}`);
    await new Promise((resolve) => setImmediate(resolve));
    return frames.map((one) => ({ stored: { ...one, sequence: groups } }));
  });
  add('pkt_1');
  await intake.drain();
  expect(answered).toEqual(['pkt_1']);
  await intake.drain();
  expect(answered).toEqual(['pkt_1', 'pkt_later_1', 'pkt_later_2']);
});

test('[A2C-6] who waits in the middle of a group also waits for what that group is about to answer', async () => {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const stored: number[] = [];
  const { intake } = intakeOver(async (frames, acknowledged) => {
    if (frames.length > 0) await promise;
    stored.push(frames.length + 10 * acknowledged.length);
    return frames.map((one) => ({ stored: { ...one, sequence: 2 } }));
  });
  intake.add(frame, () => {});
  await new Promise((resolve) => setImmediate(resolve));
  intake.acknowledge([frame]);
  const drained = intake.drain();
  finish();
  await drained;
  expect(stored).toEqual([1, 10]);
});
