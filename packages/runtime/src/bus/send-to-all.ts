import type { BusConnection } from './connection.ts';
import { toBusError } from './to-bus-error.ts';

/** Replies to one request to all. */
const repliesMax = 1_000;

/** Sends a request to all who serve a subject, and calls back for each reply that comes within `windowMs`. */
export async function sendToAll(
  connection: BusConnection,
  { subject, payload, windowMs }: { readonly subject: string; readonly payload: Uint8Array; readonly windowMs: number },
  onReply: (payload: Uint8Array) => void,
): Promise<void> {
  const release = connection.hold();
  try {
    const replies = await connection.nc.requestMany(subject, payload, { maxWait: windowMs, noMux: true });
    let count = 0;
    for await (const { data, headers } of replies) {
      if (!headers) onReply(data);
      count += 1;
      if (count >= repliesMax) break;
    }
  } catch (error) {
    throw toBusError(error);
  } finally {
    release();
  }
}
