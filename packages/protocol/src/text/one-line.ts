import { z } from 'zod';

/** A text on one line: what reorders or hides other text is no part of it. */
export const oneLine = (most: number) =>
  z
    .string()
    .trim()
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters');
