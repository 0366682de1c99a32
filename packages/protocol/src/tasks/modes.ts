import { z } from 'zod';

/** How much an agent does unasked. */
export const BehaviourMode = z.enum(['autonomous', 'supervised', 'strict']);
