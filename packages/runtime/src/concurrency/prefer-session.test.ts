import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundleScript } from '../../../../tests/harness/bundle-script.ts';

const script = `
  import { readFileSync } from 'node:fs';
  import { preferSession } from './prefer-session.ts';
  const isSet = preferSession(Number(process.argv[1]));
  console.log(JSON.stringify([isSet, readFileSync('/proc/self/autogroup', 'utf8').trim().split(' ').at(-1)]));`;

/** Prefers the session of a new process by so many steps; returns whether that was done, and the session's nice value. */
async function preferBy(steps: number): Promise<unknown> {
  const program = await bundleScript(script, import.meta.dirname);
  // In a session of its own: this one keeps its priority.
  const args = ['--input-type=module', '-e', program, String(steps)];
  const { stdout } = await promisify(execFile)('setsid', ['--wait', process.execPath, ...args]);
  return JSON.parse(stdout);
}

it('gives the session of a process its nice value, with the right to do that', async ({ skip }) => {
  if (!existsSync('/proc/self/autogroup')) skip('this system does not schedule sessions');
  if (process.getuid?.() !== 0) skip('only root may do that');
  expect(await preferBy(5)).toEqual([true, '-5']);
});

it('does nothing beyond what the system knows', async ({ skip }) => {
  if (!existsSync('/proc/self/autogroup')) skip('this system does not schedule sessions');
  expect(await preferBy(40)).toEqual([false, '0']);
});
