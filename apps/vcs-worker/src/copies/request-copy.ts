import {
  copyResultIn,
  decodeDataOffer,
  decodeError,
  subjects,
  UnavailableError,
  type DataOffer,
} from '@trunkline/contracts';
import type { SecretVault } from '@trunkline/db';
import { BusError, DataError, type Bus, type DataClient } from '@trunkline/runtime';
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { answerBytesMax, encodeCopyRequest } from './copy-messages.ts';
import type { CopyCall } from './copies.ts';
import { retryWhileBusy } from './retry-while-busy.ts';

interface CopyTools {
  readonly bus: Pick<Bus, 'request'>;
  readonly client: Pick<DataClient, 'transfer'>;
  readonly vault: Pick<SecretVault, 'hmac'>;
}

const offerMsMax = 15_000;
/** Time for which a request is repeated while no worker of the storage is there. */
const absentMsMax = 5_000;

function absentMs(error: unknown): number {
  const isAbsent = error instanceof BusError && (error.reason === 'no-responders' || error.reason === 'not-connected');
  return isAbsent ? absentMsMax : 0;
}

async function askOnce({ bus, vault }: CopyTools, { target, action, signal }: CopyCall): Promise<[DataOffer, string]> {
  const id = randomUUID();
  const { storage, operationId, attempt, storagePath } = target;
  const request = { id, sentAt: Date.now(), storage, operationId, attempt, storagePath, action };
  const message = encodeCopyRequest(vault, request);
  const { payload, isError } = await bus.request(subjects.copy(storage), message, offerMsMax, signal);
  if (!(payload instanceof Uint8Array)) {
    payload.stream.destroy();
    throw new UnavailableError({ cause: new Error('the offer is too long') });
  }
  if (isError) throw decodeError(payload);
  const offer = decodeDataOffer(payload);
  if (!offer) throw new UnavailableError({ cause: new Error('the offer is malformed') });
  return [offer, id];
}

/** Transfers the body and returns the other worker's result. */
async function transfer({ client }: CopyTools, call: CopyCall, [offer, id]: [DataOffer, string]): Promise<unknown> {
  const { signal, totalMs, body } = call;
  let answered = false;
  const sent = body && { body: body(() => answered) };
  const answer = await client.transfer(offer, id, { ...sent, signal, totalMs, bytesMax: answerBytesMax });
  answered = true;
  return copyResultIn(await buffer(answer.body));
}

/**
 * Has a worker of the target's storage do one action of a copy. Throws its error, UnavailableError when it cannot be
 * reached, and the signal's reason after an abort.
 */
export async function requestCopy(tools: CopyTools, call: CopyCall): Promise<unknown> {
  try {
    return await transfer(tools, call, await retryWhileBusy(call.signal, () => askOnce(tools, call), absentMs));
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof BusError || error instanceof DataError) throw new UnavailableError({ cause: error });
    throw error;
  }
}
