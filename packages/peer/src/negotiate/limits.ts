// How far ahead the peers of a negotiation look, in days.

import { mostDaysAhead } from '@parley/core';

/** Two peers tell each other their free time for so long, and look for a meeting in it. */
export const usualDays = 14;
/** After the person let a negotiation without a common time continue. */
export const continuedDays = 42;
/** Nothing is arranged further ahead. */
export const mostDays = mostDaysAhead;
/** A wished day can be so far ahead that the usual days still follow it. */
export const mostWishedDays = mostDays - usualDays;
