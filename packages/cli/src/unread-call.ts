import { ParleyError } from '@parley/protocol';
import { CliError } from './exit.ts';
import { me } from './program-name.ts';

/** A long call is approved after it was read. The hub's own words name a route; here it is a command. */
export const asUnreadCall =
  (checkpointId: string, choice: string) =>
  (error: unknown): never => {
    if (!(error instanceof ParleyError) || error.code !== 'unseen') throw error;
    throw new CliError('failed', 'The list shows only part of this call, so you have not seen all of what you would approve.', {
      hint: `\`${me} inbox ${checkpointId}\` shows all of it and its digest; then \`${me} inbox ${checkpointId} ${choice} --seen DIGEST\`.`,
      code: 'unseen',
    });
  };
