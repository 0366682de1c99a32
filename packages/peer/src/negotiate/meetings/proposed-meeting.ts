// A meeting that somebody else than the rules chose, held against the same calendars, wishes and refusals as theirs.

import { findMeetingWindows, type MeetingFormat } from '@parley/core';
import type { BrainMove, BrainView } from '../peer-brain.ts';
import { formatsFor, readIntentWords } from './intent-words.ts';
import { meetingMove, meetingSearch } from './meeting-proposal.ts';
import { hour, type TimeWindow, wordsFor, writeTime } from './local-time.ts';

export interface ProposedMeeting {
  event: string;
  window: TimeWindow;
  place: string | undefined;
  reasoning: string;
  alternatives: { window: TimeWindow; reason: string }[];
}

const quarter = hour / 4;
const longest = 12 * hour;
const allDay = { from: 0, to: 24 * 60 };

/** `dropped`: alternatives that do not fit. */
export function proposedMeeting(view: BrainView, meeting: ProposedMeeting): { move: BrainMove; dropped: string[] } | { problem: string } {
  const { event, window, place, reasoning } = meeting;
  if (!isTime(window)) return { problem: 'The start or the end is no time that a calendar has.' };
  const kind = readIntentWords(event, view.now, view.zone).event;
  const asked = kind === undefined || kind === askedKind(view) ? undefined : askedKind(view);
  // The person names the kind. A call may take the place of a visit, and is called so.
  if (asked !== undefined && kind !== 'call')
    return { problem: `People asked for ${asked}, not for ${kind}. Propose ${asked}, or a call instead.` };
  const problem = problemOf(view, event, window);
  if (problem !== undefined) return { problem: `${wordsFor(view.zone, window)} is not possible: ${problem}.` };
  const fitting = meeting.alternatives.filter((one) => isTime(one.window) && problemOf(view, event, one.window) === undefined);
  const alternatives = fitting.map((one) => ({ window: { ...one.window, format: event }, reason: one.reason }));
  return {
    move: meetingMove(view, { window: { ...window, format: event }, asked, place, alternatives, reasoning }),
    dropped: meeting.alternatives.filter((one) => !fitting.includes(one)).map(() => 'alternative'),
  };
}

const askedKind = ({ peerWish, ownWish, intent, now, zone }: BrainView): string | undefined =>
  [peerWish, ownWish, intent.summary].map((words) => readIntentWords(words ?? '', now, zone).event).find((event) => event !== undefined);

const isTime = ({ from, to }: TimeWindow): boolean => Number.isFinite(from) && Number.isFinite(to);

/** Why the time does not suit both, with whose constraint it breaks. */
function problemOf(view: BrainView, event: string, { from, to }: TimeWindow): string | undefined {
  if (!(to > from) || to - from > longest) return 'it has to end after its start, within 12 hours';
  if (from % quarter !== 0 || to % quarter !== 0) return 'start and end have to be on a quarter of an hour';
  if (view.rejected.some((start) => from <= start && start < to)) return 'somebody did not want this time';
  const { span, participants } = meetingSearch(view, event);
  if (from < span.from || to > span.to) {
    const [first, last] = [span.from, span.to].map((time) => writeTime(view.zone, time));
    return `it has to lie between ${first} and ${last}`;
  }
  const inPerson = formatsFor(event)[0]?.inPerson ?? true;
  const format: MeetingFormat = { name: event, minutes: (to - from) / 60_000, inPerson, hours: allDay };
  const { windows, relaxations } = findMeetingWindows({ from, to, participants, formats: [format] });
  if (windows.length > 0) return undefined;
  const broken = relaxations[0]?.constraints.map(({ who, kind }) => `${who === 'own' ? 'your person' : 'the peer'}: ${kind}`);
  return `it does not suit both (${(broken ?? ['no common time']).join(', ')})`;
}
