// Loaded before a program (`--import`): writes a line for each thread that starts and each module that is loaded.

import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread, threadName } from 'node:worker_threads';

const thread = isMainThread ? 'main' : threadName;
/** @param {string} [url] */
const note = (url) => appendFileSync(process.env['PARLEY_TEST_MODULES'] ?? '', `${JSON.stringify({ thread, url })}\n`);

note();
registerHooks({
  load: (url, context, next) => {
    if (url.startsWith('file:')) note(url);
    return next(url, context);
  },
});
