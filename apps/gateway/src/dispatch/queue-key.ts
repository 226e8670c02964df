import { callerKey } from './caller-key.ts';
import { isRecord, type Command } from './command.ts';
import type { RepositoryHints } from './repository-hints.ts';

/**
 * Returns the key of a call queue, which the calls of one caller about one repository in one lane share; null for calls
 * about no repository, and for transfers, which workers queue. A repository that is named has a queue of its own until
 * its id is known.
 */
export function queueKeyOf(
  command: Pick<Command, 'method' | 'lane' | 'args' | 'caller'>,
  hints: Pick<RepositoryHints, 'idOf'>,
) {
  const { method, lane, args, caller } = command;
  if (lane === 'transfer' || !method.permission.repository || !isRecord(args)) return null;
  const { repoid } = args;
  // A value of another type names no repository, and its conversion to text could throw.
  if (typeof repoid !== 'string' && typeof repoid !== 'number') return null;
  const id = hints.idOf(`${repoid}`);
  return `${callerKey(caller)} ${lane} ${id ?? `named ${repoid}`}`;
}
