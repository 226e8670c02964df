import { Content } from '@trunkline/contracts';
import type { Handler } from '../context.ts';
import { atRevision } from './at-revision.ts';

export const downloadPatch: Handler<'download_patch'> = (args, context) =>
  atRevision(args, context, async ({ backend, path, rawId }) => {
    const options = { context: args.context, ignoreWhitespace: args.ignorews };
    return new Content({ rawId }, backend.patch(path, rawId, options));
  });
