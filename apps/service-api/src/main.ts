import { exitCodes } from './client-error.ts';
import { readConfig } from './config.ts';
import { run } from './run.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The program that reads stdout may close the pipe early (`| head`).
  if (error.code === 'EPIPE') return;
  process.stderr.write(`${error.message}\n`);
  process.exit(exitCodes.network);
});

// A terminal may say that it has 0 columns.
const columns = process.stdout.isTTY ? process.stdout.columns || 80 : undefined;

// No process.exit at the end: output that a pipe has not taken yet would be lost.
process.exitCode = await run(process.argv.slice(2), readConfig(), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  input: () => process.stdin,
  columns,
});
