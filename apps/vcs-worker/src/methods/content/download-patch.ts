import { Content } from '@trunkline/contracts';
import type { MethodHandler } from '../context.ts';
import { atRevision, begun } from './at-revision.ts';

export const downloadPatch: MethodHandler<'download_patch'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    const options = { context: args.context, ignoreWhitespace: args.ignorews };
    return new Content({ rawId }, await begun(backend.patch(path, rawId, options), context, repository));
  });
