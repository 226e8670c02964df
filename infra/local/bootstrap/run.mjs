import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Failure of the bootstrap, with a message of one line for the user who started it. */
export class SetupError extends Error {}

const setpriv = '/usr/bin/setpriv';

/**
 * Runs a program to its end without input; resolves to `{ ok, output }`. `onOutput` receives all output so far each
 * time there is more. The program receives SIGTERM when this process dies, if setpriv is installed.
 */
export function run(command, args, { onOutput = () => {}, ...options } = {}) {
  const guarded = existsSync(setpriv);
  const words = guarded ? [setpriv, '--pdeathsig', 'TERM', '--', command, ...args] : [command, ...args];
  return new Promise((resolve) => {
    const child = spawn(words[0], words.slice(1), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        output += bytes;
        onOutput(output);
      });
    }
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/** Returns the line of the output that most likely gives the reason of a failure. */
export function failureLine(output, pattern) {
  const lines = output.split('\n').flatMap((line) => line.trim() || []);
  return lines.find((line) => pattern.test(line)) ?? lines.at(-1) ?? 'no output';
}

const everyMs = 10_000;

/**
 * Prints the progress of a step every ten seconds until it ends; `describe` receives the seconds so far. The step is a
 * measure of this process by its name, which `npm start -- --timings` lists.
 */
export async function withProgress(name, say, describe, work) {
  const start = performance.now();
  const timer = setInterval(() => say(describe(Math.round((performance.now() - start) / 1000))), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    performance.measure(name, { start });
  }
}
