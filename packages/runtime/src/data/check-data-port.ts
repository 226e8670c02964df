import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { DataOffer } from '@trunkline/contracts';
import type { DataClient } from './data-client.ts';

const checkMsMax = 10_000;

/** Sends some bytes to a data port and expects them back; throws DataError, and another error for other bytes. */
export async function checkDataPort(
  client: Pick<DataClient, 'transfer'>,
  offer: DataOffer,
  requestId: string,
): Promise<void> {
  const sent = randomBytes(32);
  const body = (async function* () {
    yield sent;
  })();
  const answer = await client.transfer(offer, requestId, { body, totalMs: checkMsMax, bytesMax: sent.length });
  if (!(await buffer(answer.body)).equals(sent)) throw new Error('other bytes came back');
}
