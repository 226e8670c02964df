import type { NameChange } from '../../push.ts';
import type { GitCommands } from '../git-commands.ts';
import { findsStale, removeStale } from '../unfinished-files.ts';

/** The input of `git update-ref`, which locks all references, compares their ids, and then changes them. */
function updates(changes: readonly NameChange[]): string {
  const lines = changes.map(({ name, from, to }) => {
    if (to === null) return `delete ${name}\0${from}\0`;
    return from === null ? `create ${name}\0${to}\0` : `update ${name}\0${to}\0${from}\0`;
  });
  // A symbolic reference, which an adopted repository may have, stands for itself and not for what it names.
  return ['start\0', ...lines.map((line) => `option no-deref\0${line}`), 'prepare\0', 'commit\0'].join('');
}

/**
 * Changes all these references or none; returns what git says when it refuses, else null. Callers hold the write lock, so
 * that locks which exist were left by dead processes.
 */
export async function updateReferences(
  git: GitCommands,
  path: string,
  changes: readonly NameChange[],
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string | null> {
  const input = Buffer.from(updates(changes), encoding);
  // Without its worker, which has the lock, it must change nothing.
  const update = () => git.tryRun(path, ['update-ref', '--stdin', '-z'], { input, mayBeLong: true });
  let { exitCode, stderr } = await update();
  if (exitCode !== 0 && findsStale(stderr)) {
    await removeStale(path);
    ({ exitCode, stderr } = await update());
  }
  return exitCode === 0 ? null : stderr;
}
