// Regular expressions on the command line: by the same thread and the same deadlines as in a hub, so that a test says what a hub
// would. Nobody else waits here, and there is no budget.

import type { Patterns } from '@parley/core/provoke';
import { Answers, Matcher, regexLimits } from '@parley/hub/regex';

const unbounded = Number.MAX_SAFE_INTEGER;
const matcher = new Matcher({ limits: { ...regexLimits, eventMs: unbounded, burstMs: unbounded } });

/** Runs it until all that it asks of regular expressions is known. */
export const withRegexes = <T>(run: (patterns: Patterns) => T, answers = new Answers('', { unbounded: true })): Promise<T> =>
  answers.complete(matcher, run);
