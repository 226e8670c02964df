import {
  BusyError,
  CheckedCopy,
  copyResultIn,
  encodeCopyBody,
  OperationFailedError,
  PublishedCopy,
  subjects,
  type CopyAction,
} from '@trunkline/contracts';
import {
  beginAttempt,
  endArrival,
  releaseAttempt,
  type Connection,
  type HeldArrival,
  type PendingArrival,
} from '@trunkline/db';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import type { BackedUpRepository } from '../backup/manifest.ts';
import { askForOffer, withPatience, type WorkerRequests } from '../backup/worker-requests.ts';
import { RefusedError } from '../errors.ts';
import { type BackupSource, contentOf } from './backup-source.ts';

const totalMsMax = 24 * 3_600_000;
const answerBytesMax = 4 * 1024 * 1024;

const Arrived = v.object({ lacking: v.array(v.string()), lacksMore: v.boolean() });

export interface SendTools {
  readonly requests: WorkerRequests;
  readonly client: Connection;
  readonly source: Pick<BackupSource, 'read'>;
  /** Attempts whose leases are extended. */
  readonly running: Set<HeldArrival>;
  readonly acceptDamaged: boolean;
}

interface Attempt extends PendingArrival, HeldArrival {
  readonly repository: BackedUpRepository;
}

/** Remembers the error of a body that could not be read. */
function watch(body: AsyncIterable<Uint8Array> | undefined) {
  let failure: unknown;
  const watched = async function* (pieces: AsyncIterable<Uint8Array>) {
    try {
      yield* pieces;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return { sent: body === undefined ? {} : { body: watched(body) }, failure: () => failure };
}

/** Has a worker of the storage do one step of an arrival. */
async function request(
  requests: WorkerRequests,
  { storage, operationId, attempt, storagePath }: Attempt,
  action: CopyAction,
  body?: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const ask = () =>
    askForOffer(requests, {
      subject: subjects.copy(storage),
      purpose: 'bus copy',
      bodyOf: (own) =>
        encodeCopyBody({ id: own, sentAt: Date.now(), storage, operationId, attempt, storagePath, action }),
    });
  // Nothing is lost before the first step: others have their turn meanwhile.
  const { offer, id } = await (action.kind === 'begin' ? ask() : withPatience(ask));
  const read = watch(body);
  try {
    const answer = await requests.client.transfer(offer, id, {
      ...read.sent,
      totalMs: totalMsMax,
      bytesMax: answerBytesMax,
    });
    return copyResultIn(await buffer(answer.body));
  } catch (error) {
    // A transfer that the backup itself has cut off cannot succeed later.
    throw read.failure() ?? error;
  }
}

/** Has all of the tree read that has arrived; returns whether it is damaged, which has to be accepted. */
async function check({ requests, acceptDamaged }: SendTools, attempt: Attempt): Promise<boolean> {
  const { head, type } = attempt.repository;
  const ask = (full: boolean) => request(requests, attempt, { kind: 'check', type, full });
  let isDamaged = false;
  const answer = await ask(true).catch((error: unknown) => {
    if (!(error instanceof OperationFailedError)) throw error;
    if (!acceptDamaged) {
      const todo = '--accept-damaged restores it as it is, and --leave-out all others without it';
      throw new RefusedError(`${error.message}: ${todo}`, { cause: error });
    }
    isDamaged = true;
    return ask(false);
  });
  const found = v.parse(CheckedCopy, answer);
  if (found.refs === head.refs && found.tip === (head.lastChangeset?.rawId ?? null)) return isDamaged;
  throw new RefusedError('it has another history than the repository that was backed up');
}

/** Sends a repository to its storage, has all of it read there, and shows it. */
async function send(tools: SendTools, attempt: Attempt): Promise<{ isDamaged: boolean }> {
  const { requests, client, source } = tools;
  const { head, files, generation } = attempt.repository;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await request(requests, attempt, { kind: 'begin', bytes });
  const tree = contentOf(source, files);
  const arrived = v.parse(
    Arrived,
    await request(requests, attempt, { kind: 'send', whole: true, linkSources: [] }, tree),
  );
  if (arrived.lacking.length > 0) throw new RefusedError('some of its files could not be written');
  const isDamaged = await check(tools, attempt);
  const { sizeBytes } = v.parse(PublishedCopy, await request(requests, attempt, { kind: 'publish' }));
  const other = head.generation === generation ? null : head;
  await endArrival(client, attempt, { other, sizeBytes, isDamaged });
  return { isDamaged };
}

/** Restores one repository; throws BusyError while another attempt has its lease, as one that was cut off has at first. */
export async function sendRepository(
  tools: SendTools,
  arrival: PendingArrival & Pick<Attempt, 'repository'>,
): Promise<{ isDamaged: boolean }> {
  const { client, running } = tools;
  const { operationId } = arrival;
  const attempt = await beginAttempt(client, operationId);
  if (attempt === null) throw new BusyError();
  const held = { operationId, attempt };
  running.add(held);
  try {
    return await send(tools, { ...arrival, ...held });
  } catch (error) {
    // Its lease ends by itself where the database is away.
    await releaseAttempt(client, held).catch(() => {});
    throw error;
  } finally {
    running.delete(held);
  }
}
