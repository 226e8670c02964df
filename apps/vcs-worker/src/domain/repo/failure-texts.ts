import { InvalidArgsError, OperationFailedError } from '@trunkline/contracts';
import { failureReason, type FailureReason } from '../../serve/health/failure-metrics.ts';
import { remoteFailureOf } from '../../vcs/remote/remote-error.ts';

const diskTexts: Partial<Record<FailureReason, string>> = {
  'storage-full': 'the storage is full',
  'storage-read-only': 'the storage is read-only',
};

/** Returns the client's text for a failure of the disk; undefined for any other. */
export function diskText(error: unknown): string | undefined {
  return diskTexts[failureReason(error)];
}

/** Returns the text of a failure, with the reason when the disk is the cause. */
export function withDiskFailure(text: string, error: unknown): string {
  const reason = diskText(error);
  return reason === undefined ? text : `${text}: ${reason}`;
}

/** Returns the text of a failure, with the reason when the remote, a limit or the disk is the cause. */
export function withRemoteFailure(text: string, error: unknown): string {
  const failure = remoteFailureOf(error);
  return failure ? `${text}: ${failure}` : withDiskFailure(text, error);
}

/** Returns the client's text for a creation that failed. */
export function creationFailureText(name: string): string {
  return `failed to create repository \`${name}\``;
}

/** Returns a function that makes the error for a refused name, type or remote location from the reason. */
export function creationRefusal(name: string): (reason: string) => OperationFailedError {
  return (reason) => new OperationFailedError(`${creationFailureText(name)}: ${reason}`);
}

/** Returns the client's text for a fork that failed. */
export function forkFailureText(source: string, name: string): string {
  return `failed to fork repository \`${source}\` as \`${name}\``;
}

/** Returns the client's text for a move that failed. */
export function moveFailureText(name: string, storage: string): string {
  return `failed to move repository \`${name}\` to storage \`${storage}\``;
}

/** End of the text when the workers of the target could not be reached. */
export const targetAway = ': the storage is not available';

/** Returns a function that makes the error for the refused name of a fork from the reason. */
export function forkRefusal(source: string, name: string): (reason: string) => OperationFailedError {
  return (reason) => new OperationFailedError(`${forkFailureText(source, name)}: ${reason}`);
}

/** Returns the client's text for a pull that failed. */
export function pullFailureText(name: string): string {
  return `Unable to pull changes from \`${name}\``;
}

/** Returns the client's text for a push that failed. */
export function pushFailureText(name: string): string {
  return `failed to push into \`${name}\``;
}

/** Returns the client's text for a deletion that failed. */
export function deletionFailureText(name: string): string {
  return `failed to delete repository \`${name}\``;
}

/** Returns the client's text for a restoration that failed, with the reason if the client is to know it. */
export function restoreFailureText(name: string, reason: string | null): string {
  return `failed to restore repository \`${name}\`${reason === null ? '' : `: ${reason}`}`;
}

/** Returns the text for a verification that was not made to its end, with the reason if there is one to tell. */
export function verificationFailureText(name: string, reason: string | null): string {
  return `failed to verify repository \`${name}\`${reason === null ? '' : `: ${reason}`}`;
}

/** Returns the client's text for a maintenance that failed. */
export function maintenanceFailureText(name: string): string {
  return `failed to maintain repository \`${name}\``;
}

/** Returns the client's text for an adoption that failed. */
export function adoptionFailureText(name: string): string {
  return `failed to adopt repository \`${name}\``;
}

/** Returns the text for an import that could not replace what it had brought before. */
export function replacementFailureText(name: string): string {
  return `failed to replace repository \`${name}\``;
}

/** Returns the client's text for an update that failed; the repository is named as the client has named it. */
export function updateFailureText(repoid: string): string {
  return `failed to update repo \`${repoid}\``;
}

/** Returns the error about a default branch that cannot be set. */
export function defaultBranchRefusal(reason: string): InvalidArgsError {
  return new InvalidArgsError(`Invalid value for \`default_branch\`: ${reason}`);
}

export function branchRefusal(branch: string): InvalidArgsError {
  return defaultBranchRefusal(`there is no branch \`${branch}\``);
}
