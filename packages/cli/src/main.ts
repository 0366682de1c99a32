// Where the launcher enters. Compiled code is kept between runs, which halves the time until a command does something;
// in the user's own folder, because nobody else must be able to put code there.

import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const caches = process.env['XDG_CACHE_HOME'];
enableCompileCache(join(caches === undefined || caches === '' ? join(homedir(), '.cache') : caches, 'parley'));
const { runCommandLine } = await import('./command-line.ts');
const { surviveClosedPipes } = await import('./output.ts');
surviveClosedPipes();
await runCommandLine(process.argv.slice(2));
