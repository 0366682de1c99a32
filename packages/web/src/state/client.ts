import { createClient } from '@parley/sdk';

/** The page is served by its hub and known to it by the session cookie. */
export const client = createClient({ baseUrl: location.origin });
