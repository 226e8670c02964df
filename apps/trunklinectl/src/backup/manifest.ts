import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SnapshotHead } from '@trunkline/contracts';
import * as v from 'valibot';
import { RefusedError } from '../errors.ts';

export const manifestName = 'manifest.json';
/** Raised when a reader of this release could not read what is written. */
const format = 1;

const Whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A file of the backup: below its directory, in directories whose names this program makes. */
const BackupFile = v.object({
  name: v.pipe(v.string(), v.regex(/^(tables|repositories)(\/[\w.-]*\w)+$/)),
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

export function encodeManifest(manifest: Omit<Manifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format, ...manifest })}\n`);
}

/** Returns all repositories of which a backup has a tree. */
export function treesOf({ repositories, missing }: Pick<Manifest, 'repositories' | 'missing'>) {
  return [...repositories, ...missing.flatMap(({ former }) => former ?? [])];
}

/** Returns all files that a backup consists of. */
export function filesOf(manifest: Pick<Manifest, 'tables' | 'repositories' | 'missing'>): readonly BackupFile[] {
  return [...manifest.tables, ...treesOf(manifest)].flatMap(({ files }) => files);
}

/** Reads the manifest of a backup, which is written last; null where there is none. */
export async function findManifest(directory: string): Promise<Manifest | null> {
  let text: string;
  try {
    text = await readFile(join(directory, manifestName), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return v.parse(Manifest, JSON.parse(text));
  } catch (cause) {
    throw new RefusedError(`\`${manifestName}\` is damaged, or that of a later release`, { cause });
  }
}

export async function readManifest(directory: string): Promise<Manifest> {
  const manifest = await findManifest(directory);
  if (!manifest) throw new RefusedError(`${directory} has no complete backup: \`${manifestName}\` is missing`);
  return manifest;
}
