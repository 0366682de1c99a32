// Vitest's global set-up for the browser tests: where they are required, a run that would skip them fails.

import { advice, findBrowser, isRequired } from './programs.mjs';

export function setup(): void {
  if (isRequired('browser') && !findBrowser()) throw new Error(`${advice.browser} PARLEY_TEST_REQUIRE makes the browser tests mandatory.`);
}
