import {
  BusyError,
  CopyRequest,
  encodeCopyBody,
  encodeError,
  encodeResult,
  type FormatReaders,
  joinSignature,
  readFormat,
  splitSignature,
  toRpcError,
  UnavailableError,
} from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import * as v from 'valibot';
import { withTimeout } from '@trunkline/runtime/concurrency';

/** Limit of a request's age, and of the difference between the clocks of two workers, in milliseconds. */
const ageMsMax = 5 * 60_000;

const readers: FormatReaders<CopyRequest> = { 1: (message) => v.parse(CopyRequest, message) };

export function encodeCopyRequest(vault: Pick<SecretVault, 'hmac'>, request: CopyRequest): Uint8Array {
  const body = encodeCopyBody(request);
  return joinSignature(vault.hmac('bus copy', body), body);
}

function refused(why: string, cause?: unknown): UnavailableError {
  return new UnavailableError({ cause: new Error(why, { cause }) });
}

/**
 * Decodes a request of a worker of this instance to this storage; throws UnavailableError for any other one, and for an
 * old one, and BusyError for one in a format that this release does not read. Within its age a request may be replayed: it then finds what it asks for done, or another attempt begun.
 */
export function decodeCopyRequest(
  vault: Pick<SecretVault, 'hmacs'>,
  storage: string,
  message: Uint8Array,
  now = Date.now(),
): CopyRequest {
  const { signature, body } = splitSignature(message);
  if (!isOneOf(signature, vault.hmacs('bus copy', body)))
    throw refused('it is not signed by a worker with the same TRUNKLINE_SECRET');
  let request: CopyRequest;
  try {
    request = readFormat(readers, JSON.parse(Buffer.from(body).toString()));
  } catch (error) {
    if (error instanceof BusyError) throw error;
    throw refused('it is malformed', error);
  }
  const ageSeconds = (now - request.sentAt) / 1_000;
  if (Math.abs(ageSeconds) * 1_000 > ageMsMax)
    throw refused(`it was sent ${ageSeconds} s ago: it was replayed, or the clocks of the machines differ`);
  if (request.storage !== storage) throw refused(`it is for the storage ${request.storage}`);
  return request;
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
