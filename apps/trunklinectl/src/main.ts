import { readEnvironment } from './config.ts';
import { processTerminal } from './process-terminal.ts';
import { run } from './run.ts';

// No process.exit at the end: output that a pipe has not taken yet would be lost.
process.exitCode = await run(process.argv.slice(2), readEnvironment(), processTerminal());
