import isomorphicGit, { type ServerRef } from 'isomorphic-git';
import type { SecureContext } from 'node:tls';
import type { EgressGuard, EgressSession } from '../egress/egress-guard.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { failureOfStatus } from '../remote/remote-failure.ts';
import type { Remote } from '../remote/remote.ts';
import { VcsError } from '../vcs-error.ts';
import { createSmartHttpClient } from './smart-http-client.ts';

export interface DiscoveryOptions {
  readonly egress: EgressGuard;
  readonly trust: SecureContext;
  readonly checkTimeoutMs: number;
}

const BYTES_MAX = 32 * 1024 * 1024;

/**
 * The references of a remote whose full names begin with a prefix, asked for without a process.
 * Null where git itself has to ask: over ssh and git://, and servers that do not speak the usual protocol.
 */
export async function discoverRefs(
  { egress, trust, checkTimeoutMs }: DiscoveryOptions,
  remote: Remote,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly ServerRef[] | null> {
  if (remote.scheme !== 'http' && remote.scheme !== 'https') return null;
  const url = remote.url.replace(/\/$/u, '');
  const session = egress.open({ bytesMax: BYTES_MAX });
  try {
    if (signal.aborted) throw cancelled(signal);
    const http = createSmartHttpClient({ session, trust, url, bytesMax: BYTES_MAX });
    const listing = isomorphicGit.listServerRefs({ http, url, prefix, symrefs: true, ...login(remote) });
    const refs = await inTime(listing, checkTimeoutMs, signal);
    return refs.every(isRef) ? refs : null;
  } catch (error) {
    throwFailure(error, session);
    return null;
  } finally {
    session.close();
  }
}

/** Throws a RemoteError for a failure of the remote, a VcsError where a limit of discovery was too low for it. */
function throwFailure(error: unknown, { failure, bytesReceived }: EgressSession): void {
  const kind = error instanceof VcsError ? error.kind : null;
  if (kind === 'cancelled') throw error;
  if (failure === 'too large') throw new VcsError('too-large', `more than ${BYTES_MAX} bytes received`);
  if (failure) throw new RemoteError(failure, error instanceof VcsError ? error.message : failure);
  if (kind === 'timeout' && bytesReceived === 0) throw new RemoteError('timed out', 'the remote has said nothing');
  if (kind) throw error;
  if (error instanceof isomorphicGit.Errors.HttpError) {
    const { statusCode } = error.data;
    throw new RemoteError(failureOfStatus(statusCode), `the remote answered with status ${statusCode}`);
  }
}

function login({ username, password }: Remote) {
  return username === null ? {} : { onAuth: () => ({ username, password: password ?? '' }) };
}

function isRef({ ref, oid }: ServerRef): boolean {
  return /^[0-9a-f]{40}$/u.test(oid) && /^(?:HEAD$|refs\/)/u.test(ref);
}

function inTime<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new VcsError('timeout', `no end after ${timeoutMs} ms`)), timeoutMs);
    const cancel = () => reject(cancelled(signal));
    signal.addEventListener('abort', cancel, { once: true });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    };
    work.finally(settle).then(resolve, reject);
  });
}

function cancelled(signal: AbortSignal): VcsError {
  return new VcsError('cancelled', 'cancelled', { cause: signal.reason });
}
