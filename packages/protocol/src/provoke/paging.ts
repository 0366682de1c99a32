// Pages of events, invocations and provoke objects.

import { z } from 'zod';

export const nextBefore = z.number().nullable().describe('`before` of the next page; null: this was the last');
export const pageLimit = z.coerce.number().int().min(1).max(200).default(50);
