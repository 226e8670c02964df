import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const setpriv = '/usr/bin/setpriv';

/**
 * Runs a program to its end without input: `{ ok, output }`. `onOutput` gets all output so far each time there is more.
 * The program is told to end when this process dies.
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

/** The line that most likely says what went wrong. */
export function tellingLine(output, pattern) {
  const lines = output.split('\n').flatMap((line) => line.trim() || []);
  return lines.find((line) => pattern.test(line)) ?? lines.at(-1) ?? 'no output';
}
