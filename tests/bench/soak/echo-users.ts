import { setTimeout as wait } from 'node:timers/promises';
import { notice, type Noticed } from './noticed.ts';

export const echoKinds = ['the echo'] as const;

const users = 3;
/** Between two requests of one user, as of ordinary users. */
const pauseMs = 150;
const body = JSON.stringify({ id: 1, args: { bytes: 600 } });

/**
 * Has users ask the echo, which no abuser asks, until the signal fires: what becomes of their times beside abusers is
 * due to the cores, the bus and the database alone.
 */
export async function runEcho(baseUrl: string, noticed: Noticed, signal: AbortSignal): Promise<void> {
  const ask = async () => {
    const response = await fetch(`${baseUrl}/echo`, { method: 'POST', body });
    await response.arrayBuffer();
    return response.status === 200 ? null : String(response.status);
  };
  const act = async () => {
    while (!signal.aborted) {
      await notice(noticed, { kind: 'the echo', what: 'echo' }, ask);
      await wait(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: users }, act));
}
