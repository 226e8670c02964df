import { decodeError, SnapshotHead, subjects } from '@trunkline/contracts';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { askForOffer, type WorkerRequests } from './worker-requests.ts';

const totalMsMax = 24 * 3_600_000;
/** The newest changeset is in the line, with all of its message. */
const lineBytesMax = 64 * 1024 * 1024;
const newline = 0x0a;

/** What a worker sends of a repository: what is known of its tree, and the tree. */
export interface FetchedRepository {
  readonly head: SnapshotHead;
  readonly tree: AsyncIterable<Uint8Array>;
}

/** Reads the first line of a stream; returns it with what has come behind it. */
async function readLine(pieces: AsyncIterator<Uint8Array>): Promise<{ line: string; rest: Buffer }> {
  const held: Uint8Array[] = [];
  for (let bytes = 0; bytes <= lineBytesMax;) {
    const next = await pieces.next();
    if (next.done === true) break;
    const at = next.value.indexOf(newline);
    if (at >= 0) {
      const line = Buffer.concat([...held, next.value.subarray(0, at)]);
      return { line: line.toString().trimStart(), rest: Buffer.from(next.value.subarray(at + 1)) };
    }
    held.push(next.value);
    bytes += next.value.length;
  }
  throw new Error('the answer of a worker is malformed');
}

async function* restOf(rest: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (rest.length > 0) yield rest;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
}

/** Parses the answer of a worker; throws the error in it. */
export async function parseFetched(body: AsyncIterable<Uint8Array>): Promise<FetchedRepository> {
  const pieces = body[Symbol.asyncIterator]();
  const { line, rest } = await readLine(pieces);
  if (!line.startsWith('+')) throw decodeError(Buffer.from(line.slice(1)));
  return { head: v.parse(SnapshotHead, JSON.parse(line.slice(1))), tree: restOf(rest, pieces) };
}

/**
 * Asks a worker of the storage for the tree of a repository, and hands it to `receive`, whose result counts only when the
 * tree has come to its end.
 */
export async function fetchRepository<T>(
  requests: WorkerRequests,
  { storage, repositoryId }: { readonly storage: string; readonly repositoryId: number },
  receive: (fetched: FetchedRepository) => Promise<T>,
): Promise<T> {
  const { offer, id } = await askForOffer(requests, {
    subject: subjects.snapshot(storage),
    purpose: 'bus snapshot',
    bodyOf: (request) => Buffer.from(JSON.stringify({ id: request, sentAt: Date.now(), storage, repositoryId })),
  });
  let body: Readable | undefined;
  try {
    ({ body } = await requests.client.transfer(offer, id, { totalMs: totalMsMax }));
    return await receive(await parseFetched(body));
  } finally {
    body?.destroy();
  }
}
