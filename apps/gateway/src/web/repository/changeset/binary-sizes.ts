import { kindOfMode, type Diff } from '../../render/diff/diff-file.ts';
import type { Visit } from '../../visit.ts';

/** Files of a side whose sizes are read: Mercurial takes some milliseconds for each. */
const filesMax = 20;

/** Sizes of binary files in bytes, by their paths before and after the change; those that are not known are absent. */
export interface BinarySizes {
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
}

type Side = readonly [revision: string | null, paths: readonly (string | null)[]];

async function sizesAt(
  { worker }: Visit,
  repoid: number,
  [revision, some]: Side,
): Promise<ReadonlyMap<string, number>> {
  const paths = some.flatMap((path) => path ?? []).slice(0, filesMax);
  if (revision === null || paths.length === 0) return new Map();
  const sizes = (await worker.callNew('view_file_sizes', { repoid, revision, paths })) ?? [];
  return new Map(
    paths.flatMap((path, index) => {
      const size = sizes[index] ?? null;
      return size === null ? [] : [[path, size] as const];
    }),
  );
}

/** Reads the sizes of a diff's first binary files by one command for each side; none when there is no such file. */
export async function readBinarySizes(
  visit: Visit,
  repoid: number,
  { files }: Diff,
  { before, after }: { readonly before: string | null; readonly after: string },
): Promise<BinarySizes> {
  const binary = files.filter((file) => file.isBinary && kindOfMode(file.newMode ?? file.oldMode) === 'file');
  const [old, now] = await Promise.all([
    sizesAt(visit, repoid, [before, binary.map(({ oldPath }) => oldPath)]),
    sizesAt(visit, repoid, [after, binary.map(({ newPath }) => newPath)]),
  ]);
  return { before: old, after: now };
}
