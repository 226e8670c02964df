import { Content, ForbiddenError } from '@trunkline/contracts';
import { downloadsEnabled } from '../../domain/repo/downloads-store.ts';
import type { MethodHandler } from '../context.ts';
import { atRevision, begun } from './at-revision.ts';

export const downloadArchive: MethodHandler<'download_archive'> = (args, context) =>
  atRevision(args, context, async ({ repository, backend, path, rawId }) => {
    if (!(await downloadsEnabled(context.db, repository.id))) throw new ForbiddenError('Downloads disabled');
    const prefix = `${repository.name.split('/').at(-1)}-${rawId.slice(0, 12)}`;
    const options = { format: args.format, prefix, subrepos: args.subrepos };
    return new Content({ rawId }, await begun(backend.archive(path, rawId, options), context, repository));
  });
