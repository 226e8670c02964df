import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { collectBytes } from '../../collect-bytes.ts';
import { scopeOfOperation } from '../process/call-scope.ts';
import { pushEnvironment, quarantineVariables, strictOption } from '../process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from '../process/command-limits.ts';
import { streamCommand } from '../process/stream-command.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import type { GitCommands } from './git-commands.ts';
import { emptyPack } from './protocol/receive-pack.ts';

/** What a pull is to bring: all that the ids lead to, but for what the known ids lead to. */
export interface NewObjects {
  readonly ids: readonly string[];
  readonly known: readonly string[];
}

/**
 * Has a command store objects beside those of the repository, where nothing but a command with these variables finds them.
 * They are removed at the end; a repair removes them if the worker dies.
 */
export async function withQuarantine<T>(path: string, act: (variables: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const objects = join(path, 'objects/tmp_objdir-pull');
  await rm(objects, { recursive: true, force: true });
  await mkdir(objects);
  try {
    return await act(quarantineVariables(path, objects));
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}

interface Storing {
  readonly limits: CommandLimits;
  readonly timeoutMs: number;
  /** The environment in which the objects are found. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Stores what was fetched from a remote: packs it as for a client, and reads the pack as that of a push. The fetch itself
 * checks nothing of what comes as files, and a remote can send files whatever it has answered before. Throws RemoteError
 * for an object that no push may bring.
 */
export async function storeChecked(
  git: Pick<GitCommands, 'argv'>,
  { limits, timeoutMs, env }: Storing,
  path: string,
  { ids, known }: NewObjects,
  signal: AbortSignal,
): Promise<void> {
  const common = { timeoutMs, ...scopeOfOperation, signal };
  const input = [...ids, ...known.map((id) => `^${id}`), ''].join('\n');
  const run = (args: readonly string[]) => dieWithParentCommand(git.argv(path, args), limits);
  const packing = streamCommand(run(['pack-objects', '--revs', '--stdout', '-q']), { ...common, env, input });
  const storing = { ...common, env: pushEnvironment(), input: packing };
  try {
    await collectBytes(streamCommand(run(['index-pack', '--stdin', strictOption]), storing));
  } catch (error) {
    if (!(error instanceof VcsError) || error.kind !== 'failed') throw error;
    throw new RemoteError('broken remote', 'the remote has objects that are not accepted', { cause: error });
  }
  for (const ending of ['pack', 'idx', 'rev'])
    await rm(join(path, 'objects/pack', `${emptyPack}${ending}`), { force: true });
}
