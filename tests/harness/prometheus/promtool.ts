import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs promtool; returns what it finds, which is empty when it finds nothing. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const command = process.env['TRUNKLINE_TEST_PROMTOOL'];
  if (!command) throw new Error('npm test has not found promtool');
  const child = spawn(command, [...args], { stdio: 'pipe' });
  // promtool may end before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return code === 0 && errors.trim() === '' ? '' : `${output}${errors}` || `ended with ${String(code)}`;
}
