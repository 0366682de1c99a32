// Runs the command line of this process.

import { runCommandLine } from './command-line.ts';
import { surviveClosedPipes } from './output.ts';

surviveClosedPipes();
await runCommandLine(process.argv.slice(2));
