import * as v from 'valibot';
import { StorageName } from '../subjects.ts';
import { decodeError } from './worker-reply.ts';

const Uuid = v.pipe(v.string(), v.uuid());
const RepositoryType = v.picklist(['hg', 'git']);
/** Path of a repository below a storage's root, which leads nowhere else. */
const StoragePath = v.pipe(
  v.string(),
  v.maxLength(4_096),
  v.check((path) => path.split('/').every((name) => name !== '' && name !== '.' && name !== '..'), 'leads elsewhere'),
  v.check((path) => !path.includes('\0'), 'has a NUL'),
);
/** A path that only Trunkline gives. */
const OwnPath = v.pipe(v.string(), v.regex(/^@repos\/[0-9a-f]{2}\/[0-9a-f-]{36}(\.\d{1,16})?$/));
const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const ActionSchema = v.variant('kind', [
  v.object({ kind: v.literal('begin'), bytes: v.nullable(Whole) }),
  v.object({
    kind: v.literal('send'),
    /** Whether all of the tree is sent, which may take hours. */
    whole: v.boolean(),
    linkSources: v.pipe(v.array(StoragePath), v.maxLength(100)),
  }),
  v.object({ kind: v.literal('check'), type: RepositoryType, full: v.boolean() }),
  v.object({ kind: v.literal('publish') }),
]);

export const CopyRequest = v.object({
  /** Random; the offer in the answer is made for it. */
  id: Uuid,
  sentAt: v.number(),
  storage: StorageName,
  operationId: Uuid,
  attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
  storagePath: OwnPath,
  action: ActionSchema,
});

/** What the sender of a tree asks of a worker of the storage at which the tree arrives. */
export type CopyRequest = v.InferOutput<typeof CopyRequest>;
export type CopyAction = CopyRequest['action'];

/** The format that this release writes; workers of the previous release read it, too (ADR 40). */
const format = 1;

/** Encodes a request without its signature. */
export function encodeCopyBody(request: CopyRequest): Uint8Array {
  return Buffer.from(JSON.stringify({ format, ...request }));
}

/** Returns the result in the answer to a copy's action, before which there may be spaces; throws the error in it. */
export function copyResultIn(answer: Buffer): unknown {
  const text = answer.toString('utf8').trimStart();
  if (text.startsWith('+')) return JSON.parse(text.slice(1));
  throw decodeError(Buffer.from(text.slice(1)));
}

export const CheckedCopy = v.object({ tip: v.nullable(v.string()), refs: v.string() });
export const PublishedCopy = v.object({ sizeBytes: v.nullable(Whole) });

/** What a backup asks of a worker of a storage: the tree of a repository, or that of a deleted one in the trash. */
export const SnapshotRequest = v.object({
  /** Random; the offer in the answer is made for it. */
  id: Uuid,
  sentAt: v.number(),
  storage: StorageName,
  repositoryId: Whole,
});
export type SnapshotRequest = v.InferOutput<typeof SnapshotRequest>;

/** What is known of a tree that was frozen: the first line of a transfer. The frames of the tree follow. */
export const SnapshotHead = v.object({
  epoch: Whole,
  generation: Whole,
  /** As the column of the repository's row has it. */
  lastChangeset: v.nullable(v.looseObject({ rawId: v.string() })),
  defaultBranch: v.nullable(v.string()),
  /** Digest of all references. */
  refs: v.string(),
});
export type SnapshotHead = v.InferOutput<typeof SnapshotHead>;
