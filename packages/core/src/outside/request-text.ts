// The text for somebody without an agent (A2C-11): what is asked, the times in words with their zone, and how to answer.

export interface OfferedRequest {
  /** Who is asked. */
  to: string;
  /** Who asks. */
  from: string;
  /** In the words of the person who asks. */
  request: string;
  /** Each in words, such as Dinner, Friday 20 November, 18:00–20:00. */
  times: readonly string[];
  zone: string;
}

export const requestText = ({ to, from, request, times, zone }: OfferedRequest): string =>
  [
    `Hi ${to},`,
    '',
    `${from} asks: ${request}`,
    '',
    times.length === 1 ? 'Would this time suit you?' : 'Which of these times would suit you?',
    ...times.map((words, place) => `${place + 1}. ${words}`),
    '',
    `Times are in the zone ${zone}.`,
    times.length === 1
      ? 'Please answer "1" if it does, name another time, or say that you can’t.'
      : `Please answer with a number from 1 to ${times.length}, name another time, or say that you can’t.`,
  ].join('\n');

/** When both have agreed: nobody else tells them. */
export const agreedText = ({ to, from, time, zone }: { to: string; from: string; time: string; zone: string }): string =>
  [`Hi ${to},`, '', `it is fixed: ${time} (zone ${zone}).`, '', from].join('\n');

/** The person learns what the times say about them. */
export const offerHint = (isFromCalendar: boolean): string =>
  isFromCalendar
    ? 'The times are ones when you are free: they tell that much of your calendar.'
    : 'The times are usual hours: your calendar was not used, so you may be busy then.';
