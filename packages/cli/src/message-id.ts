import { CliError } from './exit.ts';
import { me } from './program-name.ts';

/** What else has an id that is at hand, and what shows it. */
const elsewhere: [RegExp, string][] = [
  [/^inv_/, 'invocations show'],
  [/^evt_/, 'events show'],
];

/** An id, or a link to the message as the page copies it. */
export function messageIdOf(typed: string): string {
  const id = /msg_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (id !== undefined) return id;
  const other = elsewhere.find(([pattern]) => pattern.test(typed));
  throw new CliError('usage', `${typed} is neither the id of a message (msg_…) nor a link to one.`, {
    hint: other
      ? `\`${me} ${other[1]} ${typed}\` says what became of it.`
      : '“Copy link” on a message of the page gives one; `send` prints the id.',
  });
}
