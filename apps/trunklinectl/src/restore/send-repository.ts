import {
  BusyError,
  CheckedCopy,
  copyResultIn,
  encodeCopyBody,
  PublishedCopy,
  subjects,
  type CopyAction,
} from '@trunkline/contracts';
import { beginAttempt, endArrival, type Connection, type PendingArrival } from '@trunkline/db';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import type { BackedUpRepository } from '../backup/manifest.ts';
import { askForOffer, withPatience, type WorkerRequests } from '../backup/worker-requests.ts';
import { RefusedError } from '../errors.ts';
import { contentOf } from './check-files.ts';

const totalMsMax = 24 * 3_600_000;
const answerBytesMax = 4 * 1024 * 1024;

const Arrived = v.object({ lacking: v.array(v.string()), lacksMore: v.boolean() });

export interface SendTools {
  readonly requests: WorkerRequests;
  readonly client: Connection;
  /** Directory of the backup. */
  readonly directory: string;
  /** Ids of the operations whose leases are extended. */
  readonly running: Set<string>;
}

interface Attempt extends PendingArrival {
  readonly attempt: number;
}

/** Has a worker of the storage do one step of an arrival. */
async function request(
  requests: WorkerRequests,
  { storage, operationId, attempt, storagePath }: Attempt,
  action: CopyAction,
  body?: AsyncIterable<Uint8Array>,
): Promise<unknown> {
  const { offer, id } = await withPatience(() =>
    askForOffer(requests, {
      subject: subjects.copy(storage),
      purpose: 'bus copy',
      bodyOf: (own) =>
        encodeCopyBody({ id: own, sentAt: Date.now(), storage, operationId, attempt, storagePath, action }),
    }),
  );
  const sent = body === undefined ? {} : { body };
  const answer = await requests.client.transfer(offer, id, {
    ...sent,
    totalMs: totalMsMax,
    bytesMax: answerBytesMax,
  });
  return copyResultIn(await buffer(answer.body));
}

/** Sends a repository to its storage, has all of it read there, and shows it. */
async function send({ requests, client, directory }: SendTools, attempt: Attempt, repository: BackedUpRepository) {
  const { head, files, type, generation } = repository;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  await request(requests, attempt, { kind: 'begin', bytes });
  const tree = contentOf(directory, files);
  const arrived = v.parse(
    Arrived,
    await request(requests, attempt, { kind: 'send', whole: true, linkSources: [] }, tree),
  );
  if (arrived.lacking.length > 0) throw new RefusedError('some of its files could not be written');
  const found = v.parse(CheckedCopy, await request(requests, attempt, { kind: 'check', type, full: true }));
  if (found.refs !== head.refs || found.tip !== (head.lastChangeset?.rawId ?? null)) {
    throw new RefusedError('it has another history than the repository that was backed up');
  }
  const { sizeBytes } = v.parse(PublishedCopy, await request(requests, attempt, { kind: 'publish' }));
  const later = head.generation === generation ? null : head;
  await endArrival(client, attempt, { later, sizeBytes });
}

/** Restores one repository; after an attempt that was cut off, waits until its lease has run out. */
export async function sendRepository(
  tools: SendTools,
  pending: PendingArrival,
  repository: BackedUpRepository,
): Promise<void> {
  const { client, running } = tools;
  const { operationId } = pending;
  const attempt = await withPatience(async () => {
    const begun = await beginAttempt(client, operationId);
    if (begun === null) throw new BusyError();
    return begun;
  });
  running.add(operationId);
  try {
    await send(tools, { ...pending, attempt }, repository);
  } finally {
    running.delete(operationId);
  }
}
