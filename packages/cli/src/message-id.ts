import { CliError } from './exit.ts';

/** An id, or a link to the message as the page copies it. */
export function messageIdOf(typed: string): string {
  const id = /msg_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (id !== undefined) return id;
  throw new CliError('usage', `${typed} is neither the id of a message (msg_…) nor a link to one.`, {
    hint: '“Copy link” on a message of the page gives one; `send` prints the id.',
  });
}
