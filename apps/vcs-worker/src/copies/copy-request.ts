import {
  BusyError,
  joinSignature,
  readFormat,
  splitSignature,
  StorageName,
  UnavailableError,
  type FormatReaders,
} from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import * as v from 'valibot';

/** Limit of a request's age, and of the difference between the clocks of two workers, in milliseconds. */
const ageMsMax = 5 * 60_000;

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

const RequestSchema = v.object({
  /** Random; the offer in the answer is made for it. */
  id: Uuid,
  sentAt: v.number(),
  storage: StorageName,
  operationId: Uuid,
  attempt: v.pipe(v.number(), v.integer(), v.minValue(1)),
  storagePath: OwnPath,
  action: ActionSchema,
});

/** What one worker asks of a worker of another storage. */
export type CopyRequest = v.InferOutput<typeof RequestSchema>;
export type CopyAction = CopyRequest['action'];

/** The format that workers of this release write; those of the previous release read it, too (ADR 40). */
const format = 1;

const readers: FormatReaders<CopyRequest> = { 1: (message) => v.parse(RequestSchema, message) };

export function encodeCopyRequest(vault: Pick<SecretVault, 'hmac'>, request: CopyRequest): Uint8Array {
  const body = Buffer.from(JSON.stringify({ format, ...request }));
  return joinSignature(vault.hmac('bus copy', body), body);
}

function refused(why: string, cause?: unknown): UnavailableError {
  return new UnavailableError({ cause: new Error(why, { cause }) });
}

/**
 * Decodes a request of a worker of this instance to this storage; throws UnavailableError for any other one, and for an
 * old one, and BusyError for one in a format that this release does not read. Within its age a request may be replayed: it then finds what it asks for done, or another attempt begun.
 */
export function decodeCopyRequest(
  vault: Pick<SecretVault, 'hmacs'>,
  storage: string,
  message: Uint8Array,
  now = Date.now(),
): CopyRequest {
  const { signature, body } = splitSignature(message);
  if (!isOneOf(signature, vault.hmacs('bus copy', body)))
    throw refused('it is not signed by a worker with the same TRUNKLINE_SECRET');
  let request: CopyRequest;
  try {
    request = readFormat(readers, JSON.parse(Buffer.from(body).toString()));
  } catch (error) {
    if (error instanceof BusyError) throw error;
    throw refused('it is malformed', error);
  }
  const ageSeconds = (now - request.sentAt) / 1_000;
  if (Math.abs(ageSeconds) * 1_000 > ageMsMax)
    throw refused(`it was sent ${ageSeconds} s ago: it was replayed, or the clocks of the machines differ`);
  if (request.storage !== storage) throw refused(`it is for the storage ${request.storage}`);
  return request;
}
