import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { plainEnvironment } from './tools.ts';

/** Runs git on the repository at `path` with `input` on stdin; returns its trimmed stdout, throws when it fails. */
export async function feedGit(
  path: string,
  args: readonly string[],
  input: string | Buffer,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn('git', [`--git-dir=${path}`, ...args], {
    env: { ...plainEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // A command that does not read its stdin may end before all input is written.
  child.stdin.on('error', () => {}).end(input);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`git ${args[0]} ended with ${exitCode}`);
  return output.trim();
}

export function fastImport(path: string, stream: string): Promise<string> {
  return feedGit(path, ['fast-import', '--quiet', '--date-format=raw', '--force'], stream);
}
