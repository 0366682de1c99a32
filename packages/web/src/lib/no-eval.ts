// Loaded before anything that builds a schema: zod would try whether it may compile code, and the CSP would report it.

import { config } from 'zod';

config({ jitless: true });
