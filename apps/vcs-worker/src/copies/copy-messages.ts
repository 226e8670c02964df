import {
  CopyRequest,
  encodeCopyBody,
  encodeError,
  encodeResult,
  joinSignature,
  readFormat,
  toRpcError,
  type FormatReaders,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { withTimeout } from '@trunkline/runtime/concurrency';
import * as v from 'valibot';
import { decodeStorageRequest } from '../storage/storage-requests.ts';

const readers: FormatReaders<CopyRequest> = { 1: (message) => v.parse(CopyRequest, message) };

export function encodeCopyRequest(vault: Pick<SecretVault, 'hmac'>, request: CopyRequest): Uint8Array {
  const body = encodeCopyBody(request);
  return joinSignature(vault.hmac('bus copy', body), body);
}

/**
 * Decodes a request of a worker of this instance to this storage. A request that is replayed finds what it asks for done, or
 * another attempt begun.
 */
export function decodeCopyRequest(
  vault: Pick<SecretVault, 'hmacs'>,
  storage: string,
  message: Uint8Array,
  now = Date.now(),
): CopyRequest {
  const parse = (sent: unknown) => readFormat(readers, sent);
  return decodeStorageRequest({ vault, purpose: 'bus copy', parse }, storage, message, now);
}

/** Time after which another byte shows that the work goes on. */
const pulseMs = 10_000;
const pulse = Buffer.from(' ');
export const answerBytesMax = 4 * 1024 * 1024;

/** Encodes the outcome of some work, preceded by spaces while it goes on, so that the connection is not idle. */
export async function* answerOf(work: Promise<unknown>): AsyncGenerator<Uint8Array> {
  const outcome = work.then(
    (result) => ['+', encodeResult(result)] as const,
    (error: unknown) => ['-', encodeError(toRpcError(error))] as const,
  );
  for (;;) {
    const ended = await withTimeout(outcome, pulseMs, () => null);
    if (ended) {
      yield Buffer.concat([Buffer.from(ended[0]), ended[1].payload]);
      return;
    }
    yield pulse;
  }
}
