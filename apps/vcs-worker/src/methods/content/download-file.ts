import { Content } from '@trunkline/contracts';
import { readSmallFile } from '../../cache/content-caches.ts';
import { normalizeRoot } from '../../vcs/root-path.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision } from './at-revision.ts';
import { looksBinary, peek } from './first-bytes.ts';

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
    if (content) return new Content({ rawId, size, binary: looksBinary(content) }, content);
    // The cache shares only the size of a large file among calls: each call streams the content itself.
    const opened = await open(context.signal);
    const inTurns = context.streamTurns.of(opened.content, { caller: context.callerKey, signal: context.signal });
    const { beginning, whole } = await peek(inTurns);
    return new Content({ rawId, size, binary: looksBinary(beginning) }, whole);
  });
