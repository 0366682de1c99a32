import { frameFrom, newIdentity } from '@parley/testkit/relay';
import { expect, test } from 'vitest';
import { FrameLane } from './frames.ts';
import type { IntakeAnswer } from './intake.ts';
import { Rates } from './rates.ts';
import type { Relay } from './relay.ts';
import { publicKey } from './signatures.ts';

test('[A2C-6] frames that are being verified do not overtake one that could not be stored', () => {
  const [ann, bob] = [newIdentity('ann'), newIdentity('bob')];
  const verified: ((isValid: boolean) => void)[] = [];
  const added: { packetId: string; answer: (answer: IntakeAnswer) => void }[] = [];
  const many = (): Rates => new Rates(1e9, Date.now);
  const relay = {
    now: Date.now,
    rates: { frames: many(), framesOfDay: many() },
    keyOf: (address: string) => (address === ann.address ? ann.key : bob.key),
    queueOf: (to: string) => to,
    verifier: { verify: (_key: unknown, _bytes: unknown, settle: (isValid: boolean) => void) => verified.push(settle) },
    intake: { add: ({ packetId }: { packetId: string }, answer: (answer: IntakeAnswer) => void) => added.push({ packetId, answer }) },
  } as unknown as Relay;
  const sender = { address: ann.address, key: publicKey(ann.key), epoch: ann.epoch };
  const said: string[] = [];
  const lane = new FrameLane(relay, {
    sender: () => sender,
    stored: () => said.push('stored'),
    refuse: (code) => said.push(code),
    stopReading: () => {},
    readOn: () => {},
    pauseReading: () => {},
  });
  for (const text of ['1', '2', '3']) lane.receive(frameFrom(ann, bob, text));
  verified[0]!(true);
  added[0]!.answer({ refused: 'disk_full' });
  verified[1]!(true);
  verified[2]!(true);
  expect(said).toEqual(['disk_full', 'disk_full', 'disk_full']);
  expect(added).toHaveLength(1);
  lane.receive(frameFrom(ann, bob, '1 again'));
  verified[3]!(true);
  added[1]!.answer({ repeated: true });
  expect(said.at(-1)).toBe('stored');
});
