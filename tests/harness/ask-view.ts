import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { BusyError, decodeError, served, subjects, type Caller, type ServedName } from '@trunkline/contracts';
import { createSecretVault } from '@trunkline/db';
import { DataClient, type LargeAnswer } from '@trunkline/runtime';
import postgres from 'postgres';
import { encodeCommand } from '../../apps/gateway/src/dispatch/encode-command.ts';
import { createOpenAnswer } from '../../apps/gateway/src/dispatch/answer.ts';
import type { Cluster } from './cluster.ts';
import { connectGatewayBus } from './connect-gateway-bus.ts';
import { storageInSubject } from './storage-for.ts';

const timeoutMs = 20_000;
const busyPauseMs = 50;

/**
 * Connects to a cluster's bus as a gateway; `ask` requests a view from the workers as the user with this name, and
 * throws the RpcError of the answer; `open` returns what takes the answer. The user `default` is the anonymous caller.
 */
export async function askingViews(cluster: Cluster) {
  const vault = createSecretVault(cluster.secret);
  const bus = await connectGatewayBus(cluster);
  const dataClient = new DataClient({ networks: ['127.0.0.0/8'], ca: null, vault });
  const openAnswer = createOpenAnswer(dataClient);
  const sql = postgres(cluster.databaseUrl, { max: 1, onnotice: () => {} });

  const callerNamed = async (username: string): Promise<Caller> => {
    const [row] = await sql`select u.id, k.id as key_id from users u left join api_keys k on k.user_id = u.id
      where u.username = ${username} limit 1`;
    const credential =
      username === 'default' ? { kind: 'anonymous' as const } : { kind: 'key' as const, id: Number(row?.['key_id']) };
    return { userId: Number(row?.['id']), ip: '127.0.0.1', credential };
  };

  /**
   * Requests a view or a method, for which the worker has `limitMs`. Returns what takes the answer, of which the worker sends
   * nothing before when it is large.
   */
  const open = async (
    username: string,
    method: ServedName,
    args: unknown,
    requestId: string = randomUUID(),
    limitMs = timeoutMs,
  ): Promise<() => Promise<Uint8Array | LargeAnswer>> => {
    const caller = await callerNamed(username);
    const request = { args, caller, requestId, takesOffer: true, timeoutMs: limitMs, sentAt: Date.now() };
    const { lane } = served[method];
    const storage = await storageInSubject(sql, lane, args);
    const subject = subjects.rpc(lane, storage, method);
    const command = encodeCommand(vault, served[method], request);
    const reply = await bus.request(subject, command, timeoutMs);
    const { payload, isError } = reply;
    if (!(payload instanceof Uint8Array)) throw new Error('a stream of 0.1.0');
    if (isError) throw decodeError(payload);
    const isOffer = 'isOffer' in reply && reply.isOffer;
    return async () => (isOffer ? openAnswer(payload, { requestId, caller: username, timeoutMs }) : payload);
  };

  /** Asks again while the workers are busy, as gateways do. */
  const openWhenFree = async (username: string, method: ServedName, args: unknown) => {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await (
          await open(username, method, args)
        )();
      } catch (error) {
        if (!(error instanceof BusyError) || performance.now() > giveUpAt) throw error;
        await wait(busyPauseMs);
      }
    }
  };

  const ask = async (username: string, method: ServedName, args: unknown): Promise<string> => {
    const payload = await openWhenFree(username, method, args);
    return Buffer.from(payload instanceof Uint8Array ? payload : await buffer(payload.stream)).toString();
  };

  const close = async () => {
    dataClient.close();
    await Promise.all([bus.close(), sql.end()]);
  };
  return { ask, open, close };
}
