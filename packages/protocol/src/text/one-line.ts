import { z } from 'zod';

/** A text on one line: what reorders or hides other text is no part of it. */
export const oneLine = (most: number) => withinLine(z.string().trim(), most);

/** As `oneLine`, with its spaces: they may be part of a password. */
export const exactLine = (most: number) => withinLine(z.string(), most);

const withinLine = (text: z.ZodString, most: number) =>
  text
    .max(most, `must be at most ${most} characters`)
    .regex(/^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]*$/u, 'must be one line without control characters');
