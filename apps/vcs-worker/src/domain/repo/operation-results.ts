import type { LeftOutRecord } from '@trunkline/contracts';

// Results of methods whose operation has succeeded: for their caller or, when the worker of the call has died, for the
// gateway, which asks another worker.

export function pullResult(name: string) {
  return `Pulled from \`${name}\``;
}

export function pushResult(name: string) {
  return `Pushed into \`${name}\``;
}

export function creationResult<R>(name: string, repo: R) {
  return { msg: `Created new repository \`${name}\``, repo, task: null };
}

/** Returns the result of a fork; `task` is the operation's id while the fork is still being made. */
export function forkResult(source: string, name: string, task: string | null) {
  return { msg: `Created fork of \`${source}\` as \`${name}\``, success: true as const, task };
}

/** Returns the result of a move; `task` is the operation's id while the repository is still being moved. */
export function moveResult(
  name: string,
  { storage, others }: { storage: string; others: number },
  task: string | null,
) {
  const family = others === 0 ? '' : ` and ${others} repositories of its fork family`;
  return { msg: `Moved \`${name}\`${family} to storage \`${storage}\``, success: true as const, task };
}

/** Returns the result of a maintenance; `task` is the operation's id while it still runs. */
export function maintenanceResult(name: string, removes: boolean, task: string | null) {
  const removed = removes ? ' and removed what no reference reaches' : '';
  return { msg: `Maintained repository \`${name}\`${removed}`, success: true as const, task };
}

/** What restore_repo tells beside the name: the owner, the number of forks attached again, and of what was left out. */
export interface RestoreOutcome {
  readonly owner: string;
  readonly forks: number;
  readonly leftOut: LeftOutRecord;
}

export function restoreResult(name: string, { owner, forks, leftOut }: RestoreOutcome) {
  const msg = `Restored repository \`${name}\``;
  return { msg, success: true as const, repo_name: name, owner, forks, left_out: leftOut };
}

/** The argument `forks` of the deletion, and the number of forks made directly from the repository. */
interface DeletedForks {
  readonly forks: string;
  readonly direct: number;
}

export function deletionResult(name: string, { forks, direct }: DeletedForks) {
  const outcomes: Readonly<Record<string, string>> = {
    detach: ` Detached ${direct} forks`,
    delete: ` Deleted ${direct} forks`,
  };
  return { msg: `Deleted repository \`${name}\`${outcomes[forks] ?? ''}`, success: true as const };
}
