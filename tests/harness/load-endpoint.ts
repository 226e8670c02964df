import { setTimeout as wait } from 'node:timers/promises';
import type { ReplyEnvelope } from '@trunkline/contracts';
import { createClient, type Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Load } from './load.ts';

type Gateway = Cluster['gateways'][number];

/** A gateway that may be killed, with clients that use no other, and the answers they got. */
export interface LoadEndpoint {
  readonly gateway: Gateway;
  readonly client: Client;
  readonly ask: NonNullable<Load['ask']>;
  /** How many calls had an answer of their own. */
  readonly answered: number;
  /** Error texts of an unavailable service. */
  readonly excuses: readonly string[];
  /** Operations whose outcome was not known when the client was answered. */
  readonly unknownIds: readonly string[];
  /** Reads of what never changes that went wrong. */
  readonly misreadings: readonly string[];
  /** Kills the gateway; its clients wait for the next one. */
  kill(): Promise<void>;
  reopen(gateway: Gateway): void;
}

/** What never changes: what is asked, and the answer. */
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
/** Longer than any call of the load may take. */
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
 * Besides its calls each client reads one of the known things, which the service may say it cannot, but not wrongly.
 */
export function createLoadEndpoint(first: Gateway, apiKey: string, known: readonly Known[]): LoadEndpoint {
  let gateway = first;
  let closed: Promise<void> | null = null;
  let open = () => {};
  let answered = 0;
  const excuses: string[] = [];
  const unknownIds: string[] = [];
  const misreadings: string[] = [];

  const call = async (method: string, args?: unknown): Promise<ReplyEnvelope> => {
    await closed;
    const { baseUrl } = gateway;
    try {
      return await inTime(createClient(baseUrl, apiKey).call(method, args));
    } catch (error) {
      // What fetch throws when there is no answer.
      if (!(error instanceof TypeError) || (closed === null && gateway.baseUrl === baseUrl)) throw error;
      return { id: null, result: null, error: connectionLost };
    }
  };
  const note = async ({ error }: ReplyEnvelope): Promise<void> => {
    const id = error === null ? undefined : unknownOutcome.exec(error)?.[1];
    if (id !== undefined) unknownIds.push(id);
    if (error !== null && (id !== undefined || isNothingRan(error))) {
      excuses.push(error);
      // Somebody who is told to try again later does not do so at once.
      await wait(50);
    } else answered += 1;
  };
  const read = async (client: Client): Promise<void> => {
    const one = known[answered % known.length];
    if (!one) return;
    const reply = await client.call(one.method, one.args);
    await note(reply);
    const isRight = JSON.stringify(reply.result) === JSON.stringify(one.result);
    if (!isRight && !isNothingRan(reply.error)) misreadings.push(`${one.method}: ${JSON.stringify(reply)}`);
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
    misreadings,
    async ask(client, { method, args }) {
      const reply = await client.call(method, args);
      await note(reply);
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
