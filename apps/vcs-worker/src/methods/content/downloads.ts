import { isUtf8 } from 'node:buffer';
import { Content, ForbiddenError } from '@trunkline/contracts';
import { downloadsEnabled } from '../../domain/repo/repository-store.ts';
import type { MethodHandler, ReadContext } from '../context.ts';
import { atRevision, begun, looksBinary, peek } from './at-revision.ts';
import { requireCompared, withSides } from './compared-sides.ts';
import { readSmallFile } from '../../cache/content-caches.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';

async function requireDownloads({ db }: Pick<ReadContext, 'db'>, repositoryId: number): Promise<void> {
  if (!(await downloadsEnabled(db, repositoryId))) throw new ForbiddenError('Downloads disabled');
}

export const viewContentId: MethodHandler<'view_content_id'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    if (args.of === 'archive') await requireDownloads(context, repository.id);
    const file = args.path === null ? null : await backend.openFile(path, rawId, normalizeRoot(args.path));
    return { raw_id: rawId, size: file && file.size };
  });

/** Returns what is said of a file before its content; a file of up to 1 MB is all in its first piece. */
function headOf(beginning: Uint8Array, size: number) {
  return { size, binary: looksBinary(beginning), utf8: beginning.length === size && isUtf8(beginning) };
}

export const downloadArchive: MethodHandler<'download_archive'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    await requireDownloads(context, repository.id);
    const prefix = `${repository.name.split('/').at(-1)}-${rawId.slice(0, 12)}`;
    const options = { format: args.format, prefix, subrepos: args.subrepos };
    return new Content({ rawId }, await begun(backend.archive(path, rawId, options), context, repository));
  });

/** Returns the option that leaves out all files but one, before and after the change; none where all are wanted. */
function onlyPaths({ path, old_path: oldPath }: { readonly path: string | null; readonly old_path: string | null }) {
  return path === null ? {} : { paths: [path, ...(oldPath === null ? [] : [oldPath])].map(normalizeRoot) };
}

export const downloadDiff: MethodHandler<'download_diff'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    const { context: lines, ignorews: ignoreWhitespace, binary, parent } = args;
    const options = { context: lines, ignoreWhitespace, binary, parent, ...onlyPaths(args) };
    return new Content({ rawId, parent }, await begun(backend.diff(path, rawId, options), context, repository));
  });

export const downloadComparison: MethodHandler<'download_comparison'> = async (args, context) => {
  const compared = await requireCompared(args, context);
  return withSides(args, compared, context, async ({ pair, backend, path }) => {
    const base = await backend.mergeBase(path, pair);
    const { context: lines, ignorews: ignoreWhitespace, binary } = args;
    const options = { context: lines, ignoreWhitespace, binary, base, ...onlyPaths(args) };
    return new Content({ rawId: pair.to }, await begun(backend.diff(path, pair.to, options), context, compared.to));
  });
};

export const downloadPatch: MethodHandler<'download_patch'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    const options = { context: args.context, ignoreWhitespace: args.ignorews };
    return new Content({ rawId }, await begun(backend.patch(path, rawId, options), context, repository));
  });

export const downloadFile: MethodHandler<'download_file'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    const name = normalizeRoot(args.path);
    const open = (signal: AbortSignal) => backend.forCall(signal).openFile(path, rawId, name);
    const { size, content } = await context.contentCaches.smallFiles.get(
      repository,
      [rawId, name],
      async (shared) => readSmallFile(await open(shared)),
      context.signal,
    );
    if (content) return new Content({ rawId, ...headOf(content, size) }, content);
    // The cache shares only the size of a large file among calls: each call streams the content itself.
    const opened = await open(context.signal);
    const inTurns = context.streamSlices.of(opened.content, { caller: context.callerKey, signal: context.signal });
    const { beginning, whole } = await peek(inTurns);
    return new Content({ rawId, ...headOf(beginning, size) }, whole);
  });
