import { randomUUID } from 'node:crypto';
import {
  BusyError,
  decodeDataOffer,
  decodeError,
  joinSignature,
  subjects,
  UnavailableError,
  workerInboxes,
  type DataOffer,
} from '@trunkline/contracts';
import { databaseFailure, type SecretVault } from '@trunkline/db';
import { BusError, DataClient, DataError, readDataClientOptions, type Bus } from '@trunkline/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { withBus } from '../cluster.ts';
import type { BackupConfig } from '../config.ts';
import { vaultOf } from '../with-database.ts';

/** What asks workers for transfers of bytes over their data ports. */
export interface WorkerRequests {
  readonly bus: Bus;
  readonly client: DataClient;
  readonly vault: SecretVault;
}

const offerMsMax = 15_000;
/** Time for which workers that are busy or away are asked again. */
const patienceMs = 600_000;
const pauseMsMax = 5_000;

/** Runs `act` with the bus as a worker's user, and with what connects to data ports. */
export async function withWorkers<T>(config: BackupConfig, act: (requests: WorkerRequests) => Promise<T>): Promise<T> {
  const vault = vaultOf(config);
  const client = new DataClient({ ...(await readDataClientOptions(config)), vault });
  const own = `${workerInboxes}.${randomUUID()}`;
  const needs = {
    publish: [subjects.snapshot('no-storage-of-this-name')],
    subscribe: [own],
    prefix: workerInboxes,
    refusal: 'may not ask workers for repositories: use the settings of a worker',
  };
  try {
    return await withBus(config.TRUNKLINE_NATS_URL, needs, (bus) => act({ bus, client, vault }));
  } finally {
    client.close();
  }
}

interface Asked {
  readonly subject: string;
  readonly purpose: 'bus copy' | 'bus snapshot';
  /** Makes the request, without its signature, with an id of its own. */
  readonly bodyOf: (id: string) => Uint8Array;
}

async function askOnce({ bus, vault }: WorkerRequests, { subject, purpose, bodyOf }: Asked) {
  const id = randomUUID();
  const body = bodyOf(id);
  const message = joinSignature(vault.hmac(purpose, body), body);
  const { payload, isError } = await bus.request(subject, message, offerMsMax);
  if (!(payload instanceof Uint8Array)) {
    payload.stream.destroy();
    throw new Error('the offer of a worker is too long');
  }
  if (isError) throw decodeError(payload);
  const offer = decodeDataOffer(payload);
  if (!offer) throw new Error('the offer of a worker is malformed');
  return { offer, id };
}

/** Returns whether the same may succeed later, since a worker is busy or a server away. */
export function mayPass(error: unknown): boolean {
  return (
    databaseFailure(error) !== undefined ||
    error instanceof BusyError ||
    error instanceof UnavailableError ||
    error instanceof BusError ||
    error instanceof DataError
  );
}

/** Repeats what fails because workers are busy or away, after growing pauses, for ten minutes. */
export async function withPatience<T>(attempt: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (let pause = 100; ; pause = Math.min(2 * pause, pauseMsMax)) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error) || performance.now() - began + pause > patienceMs) throw error;
    }
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** Asks a worker for an offer. */
export function askForOffer(requests: WorkerRequests, asked: Asked): Promise<{ offer: DataOffer; id: string }> {
  return askOnce(requests, asked);
}
