import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SnapshotHead } from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';
import * as v from 'valibot';
import { RefusedError } from '../errors.ts';

export const manifestName = 'manifest.json';
/** Raised when a reader of this release could not read what is written. */
const format = 1;
/** The manifest is read as a whole: some 300,000 repositories. */
export const manifestBytesMax = 256 * 1024 * 1024;

const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Names of files of a backup: below its directory, in directories whose names this program makes. */
const namePattern = /^(tables|repositories)(\/[\w.-]*\w)+$/;
const nameCharsMax = 200;

/** A file of the backup. */
const BackupFile = v.object({
  name: v.pipe(v.string(), v.maxLength(nameCharsMax), v.regex(namePattern)),
  bytes: Whole,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export type BackupFile = v.InferOutput<typeof BackupFile>;

const BackedUpRepository = v.object({
  id: Whole,
  name: v.string(),
  uuid: v.pipe(v.string(), v.uuid()),
  type: v.picklist(['hg', 'git']),
  storage: v.string(),
  /** Those of the row in the snapshot; the bytes may be later. */
  epoch: Whole,
  generation: Whole,
  sizeBytes: v.nullable(Whole),
  /** Whether it was known to be damaged. */
  damaged: v.boolean(),
  /** What the bytes are of. */
  head: SnapshotHead,
  /** The parts of the tree, in their order. */
  files: v.array(BackupFile),
});
export type BackedUpRepository = v.InferOutput<typeof BackedUpRepository>;

/** A repository that is in the rows, and that could not be backed up. */
const MissingRepository = v.object({
  id: Whole,
  name: v.string(),
  reason: v.string(),
  /** The tree of an earlier backup at the same target. */
  former: v.nullable(BackedUpRepository),
});
export type MissingRepository = v.InferOutput<typeof MissingRepository>;

const Identifier = v.pipe(v.string(), v.regex(/^[a-z_][a-z0-9_]{0,62}$/));

const Manifest = v.object({
  format: v.literal(format),
  id: v.pipe(v.string(), v.uuid()),
  release: v.string(),
  takenAt: v.string(),
  schema: Whole,
  tables: v.array(v.object({ name: Identifier, columns: v.array(Identifier), files: v.array(BackupFile) })),
  sequences: v.array(v.object({ table: Identifier, column: Identifier, value: v.nullable(Whole) })),
  secretIds: v.array(v.string()),
  storages: v.array(v.string()),
  repositories: v.array(BackedUpRepository),
  missing: v.array(MissingRepository),
});
export type Manifest = v.InferOutput<typeof Manifest>;

// A manifest begins with its HMAC, in whose stead the text that is signed has zeros.
const signedFrom = `{"format":${format},"hmac":"`.length;
const hmacChars = 64;

/** Writes a manifest with an HMAC: a writer of the backup without the secret must not make another one of it. */
export function encodeManifest(manifest: Omit<Manifest, 'format'>, vault: Pick<SecretVault, 'hmac'>): Buffer {
  const content = Buffer.from(`${JSON.stringify({ format, hmac: '0'.repeat(hmacChars), ...manifest })}\n`);
  content.write(vault.hmac('backup manifest', content).toString('hex'), signedFrom);
  return content;
}

/** Throws RefusedError for a manifest that nobody with a secret of the vault has written. */
function requireSigned(content: Uint8Array, vault: Pick<SecretVault, 'hmacs'>): void {
  const signed = Buffer.from(content);
  const hmac = Buffer.from(signed.toString('latin1', signedFrom, signedFrom + hmacChars), 'hex');
  signed.fill('0', signedFrom, signedFrom + hmacChars);
  if (isOneOf(hmac, [...vault.hmacs('backup manifest', signed)])) return;
  throw new RefusedError(
    `\`${manifestName}\` was not written under TRUNKLINE_SECRET or one of TRUNKLINE_OLD_SECRETS, or was changed since`,
  );
}

/** Returns all repositories of which a backup has a tree. */
export function treesOf({ repositories, missing }: Pick<Manifest, 'repositories' | 'missing'>) {
  return [...repositories, ...missing.flatMap(({ former }) => former ?? [])];
}

/** Returns all files that a backup consists of. */
export function filesOf(manifest: Pick<Manifest, 'tables' | 'repositories' | 'missing'>): readonly BackupFile[] {
  return [...manifest.tables, ...treesOf(manifest)].flatMap(({ files }) => files);
}

/** Returns whether a file of this name can be one that a manifest names. */
export function isBackupFileName(name: string): boolean {
  return name.length <= nameCharsMax && namePattern.test(name);
}

/** Has the secrets under which a manifest has to be written; null where they are not known. */
export type ManifestVault = Pick<SecretVault, 'hmacs'> | null;

/** Parses a manifest; throws RefusedError for one that this release has not written, or nobody with a secret of the vault. */
export function parseManifest(content: Uint8Array, vault: ManifestVault): Manifest {
  let manifest: Manifest;
  try {
    manifest = v.parse(Manifest, JSON.parse(Buffer.from(content).toString()));
  } catch (cause) {
    throw new RefusedError(`\`${manifestName}\` is damaged, or that of a later release`, { cause });
  }
  if (vault) requireSigned(content, vault);
  return manifest;
}

/** Says that something has no backup, of which the manifest is written last. */
export function noManifest(what: string): RefusedError {
  return new RefusedError(`${what} has no complete backup: \`${manifestName}\` is missing`);
}

/** Reads the manifest of a backup; null where there is none. */
export async function findManifest(directory: string, vault: ManifestVault): Promise<Manifest | null> {
  const path = join(directory, manifestName);
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (!found) return null;
  // A read of a pipe might never end, and that of a device not either.
  if (!found.isFile()) throw new RefusedError(`\`${manifestName}\` is no regular file`);
  if (found.size > manifestBytesMax) throw new RefusedError(`\`${manifestName}\` is too long`);
  return parseManifest(await readFile(path), vault);
}

export async function readManifest(directory: string, vault: ManifestVault): Promise<Manifest> {
  const manifest = await findManifest(directory, vault);
  if (!manifest) throw noManifest(directory);
  return manifest;
}
