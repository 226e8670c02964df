import { setTimeout as wait } from 'node:timers/promises';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { createClient, type Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Load } from './load.ts';

type Gateway = Cluster['gateways'][number];

/** A gateway that may be killed, its clients, which use no other gateway, and counts of their answers. */
export interface LoadEndpoint {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly ask: NonNullable<Load['ask']>;
  /** Number of calls that were answered with their outcome. */
  readonly answered: number;
  /** Error texts of an unavailable service. */
  readonly excuses: readonly string[];
  /** Operations whose outcome was not known when the client was answered. */
  readonly unknownIds: readonly string[];
  /** Wrong answers to reads of `Known` results, one text each. */
  readonly wrongReads: readonly string[];
  /** Kills the gateway; its clients wait for `reopen`. */
  kill(): Promise<void>;
  reopen(gateway: Gateway): void;
}

/** A read whose result never changes. */
export interface Known {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

const connectionLost = 'connection lost';
const nothingRan = [
  'Service is temporarily unavailable, try again later',
  'Service is busy, try again later',
  connectionLost,
];
const unknownOutcome = /^The outcome of operation (\S+) is not known yet, ask get_operation$/;
/** A time longer than any call of the load may take. */
const patienceMs = 60_000;

export const isNothingRan = (error: string | null): boolean => error !== null && nothingRan.includes(error);

async function inTime(reply: Promise<ReplyEnvelope>): Promise<ReplyEnvelope> {
  const timer = new AbortController();
  const hung = { id: null, result: null, error: `no answer after ${patienceMs} ms` };
  try {
    return await Promise.race([reply, wait(patienceMs, hung, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

/**
 * Creates an endpoint. After each call a client also makes one of the known reads, which the service may refuse as
 * unavailable or busy, but must not answer wrongly.
 */
export function createLoadEndpoint(first: Gateway, apiKey: string, known: readonly Known[]): LoadEndpoint {
  let gateway = first;
  let closed: Promise<void> | null = null;
  let open = () => {};
  let answered = 0;
  const excuses: string[] = [];
  const unknownIds: string[] = [];
  const wrongReads: string[] = [];

  const call = async (method: string, args?: unknown): Promise<ReplyEnvelope> => {
    await closed;
    const { baseUrl } = gateway;
    try {
      return await inTime(createClient(baseUrl, apiKey).call(method, args));
    } catch (error) {
      // fetch throws TypeError when the connection fails.
      if (!(error instanceof TypeError) || (closed === null && gateway.baseUrl === baseUrl)) throw error;
      return { id: null, result: null, error: connectionLost };
    }
  };
  const record = async ({ error }: ReplyEnvelope): Promise<void> => {
    const id = error === null ? undefined : unknownOutcome.exec(error)?.[1];
    if (id !== undefined) unknownIds.push(id);
    if (error !== null && (id !== undefined || isNothingRan(error))) {
      excuses.push(error);
      // A client that is asked to try again later pauses first.
      await wait(50);
    } else answered += 1;
  };
  const read = async (client: Client): Promise<void> => {
    const one = known[answered % known.length];
    if (!one) return;
    const reply = await client.call(one.method, one.args);
    await record(reply);
    const isRight = JSON.stringify(reply.result) === JSON.stringify(one.result);
    if (!isRight && !isNothingRan(reply.error)) wrongReads.push(`${one.method}: ${JSON.stringify(reply)}`);
  };

  return {
    get gateway() {
      return gateway;
    },
    client: { ...createClient(first.baseUrl, apiKey), call },
    get answered() {
      return answered;
    },
    excuses,
    unknownIds,
    wrongReads,
    async ask(client, { method, args }) {
      const reply = await client.call(method, args);
      await record(reply);
      await read(client);
      return reply.error === connectionLost ? null : reply;
    },
    async kill() {
      closed = new Promise((resolve) => (open = resolve));
      await gateway.kill();
    },
    reopen(next) {
      gateway = next;
      closed = null;
      open();
    },
  };
}
