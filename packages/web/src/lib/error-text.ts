import { ConnectionError, ParleyError } from '@parley/sdk';

/** An error in words for the person who met it. The hub's own words are made for reading. */
export function errorText(error: unknown): string {
  if (error instanceof ParleyError) {
    const [problem] = error.problems;
    return problem ? `${problem.field} ${problem.message}` : error.message;
  }
  if (error instanceof ConnectionError) return 'The hub cannot be reached right now.';
  return 'Something went wrong.';
}
