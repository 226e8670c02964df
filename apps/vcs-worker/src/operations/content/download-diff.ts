import { Content } from '@trunkline/contracts';
import type { Handler } from '../context.ts';
import { atRevision } from './at-revision.ts';

export const downloadDiff: Handler<'download_diff'> = (args, context) =>
  atRevision(args, context, async ({ backend, path, rawId }) => {
    const options = { context: args.context, ignoreWhitespace: args.ignorews };
    return new Content({ rawId }, backend.diff(path, rawId, options));
  });
