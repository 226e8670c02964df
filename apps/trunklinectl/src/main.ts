import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './errors.ts';
import type { Terminal } from './command.ts';
import { readEnvironment } from './config.ts';
import { run } from './run.ts';

const secretBytesMax = 4_096;

async function readPiped(): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > secretBytesMax) throw new UsageError(`standard input has more than ${secretBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

async function ask(prompt: string): Promise<string> {
  // What is typed is not shown, from the prompt on.
  const output = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(prompt);
  const interrupted = new Promise<never>((_resolve, reject) => {
    lines.once('SIGINT', () => reject(new UsageError('interrupted')));
  });
  try {
    return await Promise.race([lines.question(''), interrupted]);
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

function processTerminal(): Terminal {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The program that reads stdout may close the pipe early (`| head`).
    if (error.code !== 'EPIPE') throw error;
  });
  const isTyped = process.stdin.isTTY;
  return {
    out: (text) => void process.stdout.write(text),
    bytes: process.stdout,
    input: process.stdin,
    err: (text) => void process.stderr.write(text),
    columns: () => (process.stderr.isTTY ? process.stderr.columns : null),
    readSecret: (prompt) => (isTyped ? ask(prompt) : readPiped()),
    isTyped,
  };
}

// No process.exit at the end: output that a pipe has not taken yet would be lost.
process.exitCode = await run(process.argv.slice(2), readEnvironment(), processTerminal());
