import { exitCodes } from './client-error.ts';
import { readConfig } from './config.ts';
import { run } from './run.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads our output may stop early (`| head`).
  if (error.code === 'EPIPE') return;
  process.stderr.write(`${error.message}\n`);
  process.exit(exitCodes.network);
});

// No process.exit at the end: it would cut off what a pipe has not yet taken.
process.exitCode = await run(process.argv.slice(2), readConfig(), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
