import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { collectBytes } from '../../collect-bytes.ts';
import { scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment, strictOption } from '../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../process/command-limits.ts';
import { streamCommand } from '../process/stream-command.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';

interface Checked {
  /** Ids of which all that they lead to is checked, but for what the known ids lead to. */
  readonly ids: Iterable<string>;
  readonly known: Iterable<string>;
}

/**
 * Checks objects that came as files, which git does not check as it fetches them: packs them as for a client, and reads the
 * pack as that of a push. Throws RemoteError for an object that no push may bring.
 */
export async function checkObjects(
  git: Pick<GitCommands, 'argv'>,
  { limits, timeoutMs }: { readonly limits: CommandLimits; readonly timeoutMs: number },
  path: string,
  { ids, known }: Checked,
  signal: AbortSignal,
): Promise<void> {
  // A repair removes files of this name, if the worker dies.
  const copy = join(path, 'objects/pack/tmp_checked');
  const options = { env: childEnvironment(), timeoutMs, ...scopeOfOperation, signal };
  const input = [...ids, ...[...known].map((id) => `^${id}`), ''].join('\n');
  const run = (args: readonly string[]) => dieWithParentCommand(git.argv(path, args), limits);
  const packing = streamCommand(run(['pack-objects', '--revs', '--stdout', '-q']), { ...options, input });
  const reading = run(['index-pack', '--stdin', strictOption, '-o', `${copy}.idx`, `${copy}.pack`]);
  try {
    await collectBytes(streamCommand(reading, { ...options, input: packing }));
  } catch (error) {
    if (!(error instanceof VcsError) || error.kind !== 'failed') throw error;
    throw new RemoteError('broken remote', 'the remote has objects that are not accepted', { cause: error });
  } finally {
    for (const ending of ['pack', 'idx', 'rev']) await rm(`${copy}.${ending}`, { force: true });
  }
}
