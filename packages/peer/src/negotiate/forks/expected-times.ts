// After a split, nothing is proposed for one part yet: its words say when it will probably be, so that the other part leaves room (A2C-20).

import { timesIn, withoutLength } from '@parley/core';
import type { BrainView, SiblingView } from '../brain.ts';
import { dropWords, eventsIn, readIntentWords } from '../meetings/intent-words.ts';
import type { TimeWindow } from '../meetings/local-time.ts';
import { meetingWindows } from '../meetings/meeting-proposal.ts';

export const withExpectedTimes = (view: BrainView): BrainView => ({
  ...view,
  siblings: view.siblings.map((one) => (one.window || !isBefore(one, view) ? one : { ...one, window: expectedTime(view, one.intent) })),
});

/** By the clock: an evening leaves room. */
const isTimed = (words: string): boolean => timesIn(withoutLength(words)).some(({ from, to }) => to - from <= 120);

/** A named time comes first; else the negotiation from which this one was split off, where it is about something else. */
function isBefore({ intent, isParent }: SiblingView, view: BrainView): boolean {
  const own = view.intent.summary;
  if (isTimed(intent) !== isTimed(own)) return isTimed(intent);
  const events = eventsIn(own);
  return isParent && !eventsIn(intent).some((event) => events.includes(event));
}

/** By the same calendars, as if it were proposed now. */
function expectedTime(view: BrainView, summary: string): TimeWindow | null {
  const { event } = readIntentWords(summary, view.now, view.zone);
  if (event === undefined) return null;
  const { visible, received, intent } = view;
  const alone = { siblings: [], rejected: [], peerWish: null, ownWish: null, lastStart: null };
  const its = { ...view, ...alone, visible: dropWords(visible), received: dropWords(received), intent: { ...intent, summary } };
  const [best] = meetingWindows(its, event).windows;
  return best ? { from: best.from, to: best.to } : null;
}
