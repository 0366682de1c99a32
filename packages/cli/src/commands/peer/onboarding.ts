// Asked once, when a peer is made in a terminal: where its person is based, and the five defaults (A2C-39). Enter keeps each.

import { isCancel, select, text } from '@clack/prompts';
import type { OwnPeerCalls } from '@parley/protocol';
import { askedDefaults, defaultSharing, type SharingTier } from '@parley/core/consent';
import type { Readable, Writable } from 'node:stream';

const questions: Readonly<Record<(typeof askedDefaults)[number], string>> = {
  time_windows: 'Calendar availability',
  general_location_area: 'General area (city)',
  dietary: 'Dietary preferences',
  budget_range: 'Budget range',
  specific_location: 'Specific location',
};
const choices: { value: SharingTier; label: string }[] = [
  { value: 'always_share', label: 'Always' },
  { value: 'ask_first', label: 'Ask me' },
  { value: 'never_share', label: 'Never' },
];
const longestArea = 200;

/** False where the person leaves: the defaults stay as they are. */
export async function askDefaults(
  peer: Pick<OwnPeerCalls, 'setField' | 'setTier'>,
  streams: { input?: Readable; output?: Writable } = {},
): Promise<boolean> {
  const area = await text({ message: 'Where are you roughly based? Enter alone skips it.', placeholder: 'Reading, UK', ...streams });
  if (isCancel(area)) return false;
  const value = (area ?? '').trim().slice(0, longestArea);
  if (value !== '') await peer.setField({ field: 'general_location_area', value });
  for (const field of askedDefaults) {
    const tier = await select({
      message: `When other people’s peers ask for it, share: ${questions[field]}`,
      options: choices,
      initialValue: defaultSharing.base[field] ?? 'ask_first',
      ...streams,
    });
    if (isCancel(tier)) return false;
    await peer.setTier({ field, tier });
  }
  return true;
}
