import isomorphicGit, { type ServerRef } from 'isomorphic-git';
import type { SecureContext } from 'node:tls';
import type { EgressGuard } from '../egress/egress-guard.ts';
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
    if (session.refused) throw new VcsError('remote-refused', 'the remote’s address is not allowed');
    if (session.bytesReceived > BYTES_MAX) throw new VcsError('too-large', `more than ${BYTES_MAX} bytes received`);
    if (error instanceof VcsError) throw error;
    if (error instanceof isomorphicGit.Errors.HttpError) {
      throw new VcsError('remote-failed', `the remote answered with status ${error.data.statusCode}`);
    }
    return null;
  } finally {
    session.close();
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
