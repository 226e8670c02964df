import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { collectBytes } from '../collect-bytes.ts';
import type { TreeNode, VcsReads } from '../vcs/backend.ts';
import type { Annotation, OpenFile, PathHistory } from '../vcs/content.ts';
import { SortedRefs } from '../vcs/sorted-refs.ts';
import type { AtGeneration, CacheNamespace, GenerationCache } from './generation-cache.ts';

/** Size and content of a file; the content of a file that is too large for the cache is null. */
interface SmallFile {
  readonly size: number;
  readonly content: Buffer | null;
}

type RefPage = ResultOfMethod<Served['browse_refs']>;

/** What is cached of the contents of repositories, beside replies. */
export interface ContentCaches {
  /** Under the raw id and the directory. */
  readonly nodeListings: CacheNamespace<readonly TreeNode[]>;
  /** Under the raw id and the path. */
  readonly smallFiles: CacheNamespace<SmallFile>;
  readonly refs: CacheNamespace<SortedRefs>;
  /** Under the raw id, the path, and the part that was asked for. */
  readonly pathHistories: CacheNamespace<PathHistory>;
  /** Under the raw id and the path. */
  readonly annotations: CacheNamespace<Annotation>;
  /** Positions of references, the newest first, under their kind. */
  readonly refOrders: CacheNamespace<Uint32Array>;
  /** Pages of references with what they name, under the repository's name and the arguments. */
  readonly refPages: CacheNamespace<RefPage>;
}

/** A page may lack what took too long, on a worker that had much to do. */
const refPageMsMax = 60_000;
const smallFileBytesMax = 256 * 1024;
/** Memory of a node beside its name, in bytes, as measured with long and short names. */
const bytesOfNode = 160;
/** The same of a change of a path, of what has written a line, and of a block of lines. */
const bytesOfChange = 300;
const bytesOfBlock = 100;

export function createContentCaches(cache: GenerationCache): ContentCaches {
  return {
    nodeListings: cache.namespace({
      bytesOf: (nodes) => nodes.reduce((bytes, { name }) => bytes + 2 * name.length + bytesOfNode, 0),
    }),
    smallFiles: cache.namespace({ bytesOf: ({ content }) => content?.length ?? 0 }),
    refs: cache.namespace({ bytesOf: ({ bytes }) => bytes }),
    pathHistories: cache.namespace({
      // One that was not found in time is searched again.
      bytesOf: ({ changes, end }) =>
        end === 'late' ? Infinity : changes.reduce((bytes, { path }) => bytes + 4 * path.length + bytesOfChange, 0),
    }),
    annotations: cache.namespace({
      bytesOf: ({ origins, blocks }) =>
        origins.reduce((bytes, { path }) => bytes + 4 * path.length + bytesOfChange, blocks.length * bytesOfBlock),
    }),
    refOrders: cache.namespace({ bytesOf: ({ byteLength }) => byteLength }),
    refPages: cache.namespace({ bytesOf: (page) => 2 * JSON.stringify(page).length, msMax: refPageMsMax }),
  };
}

/** Reads a file for the cache of small files. */
export async function readSmallFile({ size, content }: OpenFile): Promise<SmallFile> {
  return { size, content: size > smallFileBytesMax ? null : await collectBytes(content) };
}

export function cachedRefs(
  { refs }: Pick<ContentCaches, 'refs'>,
  repository: AtGeneration,
  { backend, path }: { readonly backend: Pick<VcsReads, 'forCall'>; readonly path: string },
  signal: AbortSignal,
): Promise<SortedRefs> {
  return refs.get(repository, [], async (shared) => SortedRefs.of(await backend.forCall(shared).refs(path)), signal);
}
