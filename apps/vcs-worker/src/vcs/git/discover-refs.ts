import type { SecureContext } from 'node:tls';
import isomorphicGit, { type ServerRef } from 'isomorphic-git';
import type { EgressGuard, EgressSession } from '../egress/egress-guard.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { failureOfStatus, RemoteError } from '../remote/remote-error.ts';
import { VcsError } from '../vcs-error.ts';
import { createSmartHttpClient } from './smart-http-client.ts';

export interface DiscoveryOptions {
  readonly egress: EgressGuard;
  readonly trust: () => SecureContext;
  readonly checkTimeoutMs: number;
}

const bytesMax = 32 * 1024 * 1024;

/**
 * Lists the refs of a remote whose full names begin with a prefix, without starting a process. Returns null when native
 * git has to ask the remote itself: over ssh and git://, and when the server does not speak the smart HTTP protocol.
 * Throws RemoteError or VcsError as `rethrowUnlessGitMayTry` does.
 */
export async function discoverRefs(
  { egress, trust, checkTimeoutMs }: DiscoveryOptions,
  remote: Remote,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly ServerRef[] | null> {
  if (remote.scheme !== 'http' && remote.scheme !== 'https') return null;
  const url = remote.url.replace(/\/$/u, '');
  const session = egress.open({ bytesMax });
  try {
    if (signal.aborted) throw cancelled(signal);
    const http = createSmartHttpClient({ session, trust, url, bytesMax });
    const listing = isomorphicGit.listServerRefs({ http, url, prefix, symrefs: true, ...login(remote) });
    const refs = await withTimeoutAndSignal(listing, checkTimeoutMs, signal);
    return refs.every(isRef) ? refs : null;
  } catch (error) {
    rethrowUnlessGitMayTry(error, session);
    return null;
  } finally {
    session.close();
  }
}

/**
 * Throws RemoteError when the remote failed, VcsError when the call was cancelled or a limit of discovery was too low.
 * Returns for any other error: native git may succeed.
 */
function rethrowUnlessGitMayTry(error: unknown, { failure, bytesReceived }: EgressSession): void {
  const kind = error instanceof VcsError ? error.kind : null;
  if (kind === 'cancelled') throw error;
  if (failure === 'too large') throw new VcsError('too-large', `more than ${bytesMax} bytes received`);
  if (failure) throw new RemoteError(failure, error instanceof VcsError ? error.message : failure);
  if (kind === 'timeout' && bytesReceived === 0) throw new RemoteError('timed out', 'the remote sent nothing');
  if (kind) throw error;
  if (error instanceof isomorphicGit.Errors.HttpError) {
    const { statusCode } = error.data;
    throw new RemoteError(failureOfStatus(statusCode), `the remote answered with status ${statusCode}`);
  }
}

function login({ username, password }: Remote) {
  return username === null ? {} : { onAuth: () => ({ username, password: password ?? '' }) };
}

/** Names that are no UTF-8 are left to native git. */
function isRef({ ref, oid }: ServerRef): boolean {
  return /^[0-9a-f]{40}$/u.test(oid) && /^(?:HEAD$|refs\/)/u.test(ref) && !ref.includes('\ufffd');
}

function withTimeoutAndSignal<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
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
