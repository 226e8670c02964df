import type { HgCommands } from './hg-commands.ts';

const stateBytesMax = 4 * 1024 * 1024;

function isPath(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Returns the paths of the subrepositories that a changeset pins in .hgsubstate. */
export async function listSubrepositories(hg: HgCommands, path: string, rawId: string): Promise<string[]> {
  const args = ['cat', `--rev=${rawId}`, '--', 'path:.hgsubstate'];
  const { exitCode, stdout } = await hg.tryRun(path, args, { stdoutBytesMax: stateBytesMax });
  if (exitCode !== 0) return [];
  // Each line is an id, a space and a path.
  const lines = stdout.toString('utf8').split('\n');
  return lines.map((line) => line.slice(line.indexOf(' ') + 1)).filter(isPath);
}
