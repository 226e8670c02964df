import { OperationFailedError } from '@trunkline/contracts';
import { withRemoteFailure } from './with-remote-failure.ts';

/** The client's error when a repository cannot be created. */
export function creationFailureText(name: string, error: unknown): string {
  return withRemoteFailure(`failed to create repository \`${name}\``, error);
}

/** Refuses a name, a type or a remote location with the reason. */
export function creationRefusal(name: string): (reason: string) => OperationFailedError {
  return (reason) => new OperationFailedError(`failed to create repository \`${name}\`: ${reason}`);
}

/** The client's error when a repository cannot be forked. */
export function forkFailureText(source: string, name: string): string {
  return `failed to fork repository \`${source}\` as \`${name}\``;
}

/** Refuses the name of a fork with the reason. */
export function forkRefusal(source: string, name: string): (reason: string) => OperationFailedError {
  return (reason) => new OperationFailedError(`${forkFailureText(source, name)}: ${reason}`);
}
