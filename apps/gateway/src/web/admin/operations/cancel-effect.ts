import type { OperationRecord } from '@trunkline/contracts';

type Effects = Readonly<Record<string, string>>;

const created = 'The repository is removed, with the groups that were made for it.';
const failed = 'The operation ends as failed.';

/** What becomes of an operation of each kind that a worker runs. */
const effects: Effects = {
  create: created,
  import: created,
  fork: 'The fork is removed, with the groups that were made for it. Its source stays as it is.',
  adopt:
    'The repository is removed from the list, with the groups that were made for it. Its files stay where they are.',
  pull: 'The pull ends as failed. The repository keeps all that it had before.',
  push: 'A push that a worker completes goes on to its end. If the worker has stopped, the push is completed when some of it is visible, and fails otherwise: its client pushes again.',
  move: 'The repository stays on its storage, in use as before, and the copy is removed. Other moves that the same call has begun, and that have not ended, are cancelled, too.',
  maintain:
    'The repository stays whole and in use. What is packed already stays packed, and objects that are removed stay removed.',
  verify: 'The repository stays as it is, and is read another day.',
  restore: 'The repository stays deleted, and can be restored later. Groups that were made for it are removed.',
  replace: 'The repository stays as it is, and what an import has copied to replace it is removed.',
  default_branch: 'The default branch stays as it was, unless it is changed already.',
};

/** The same where no worker can run or undo the operation, since its storage is away. */
const effectsWithoutStorage: Effects = {
  ...effects,
  pull: failed,
  push: failed,
  default_branch: failed,
  delete: 'The deletion ends as failed, and the repository exists again.',
};
const storageAway =
  'Its storage is away, so this is recorded at once, and what the operation has left on the disk is cleared when the storage returns.';

/** Returns what cancelling does; null for an operation that cannot be cancelled. */
export function cancelEffect({ kind }: Pick<OperationRecord, 'kind'>, isStranded: boolean): string | null {
  if (kind === 'delete' && !isStranded) return null;
  const known = isStranded ? effectsWithoutStorage : effects;
  // Another release may have kinds of its own.
  const effect = (Object.hasOwn(known, kind) ? known[kind] : undefined) ?? failed;
  return isStranded ? `${effect} ${storageAway}` : effect;
}
