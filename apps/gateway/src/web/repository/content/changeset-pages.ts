import { sendContent } from '../../worker/send-content.ts';
import type { Visit } from '../../visit.ts';
import type { Place, RepositoryPage } from '../repository-page.ts';
import { plainText } from './content-type.ts';
import { attachment } from './disposition.ts';

/** Which changeset, and how its diff is to be; of a range only the last one counts. */
function asked({ query }: Visit, { repoid, rest: [revision = 'tip'] }: Place) {
  const last = revision.split('...').at(-1) || 'tip';
  const context = query.get('context');
  return {
    repoid,
    revision: last,
    ...(context ? { context } : {}),
    ignorews: query.get('ignorews') === '1',
  };
}

export const diffPage: RepositoryPage = {
  view: 'ChangesetController:changeset_raw',
  async get(visit, place) {
    const diff = await visit.worker.open('download_diff', asked(visit, place));
    return sendContent(visit, diff, { 'Content-Type': plainText });
  },
};

export const patchPage: RepositoryPage = {
  view: 'ChangesetController:changeset_patch',
  async get(visit, place) {
    const patch = await visit.worker.open('download_patch', asked(visit, place));
    return sendContent(visit, patch, { 'Content-Type': plainText });
  },
};

export const diffDownloadPage: RepositoryPage = {
  view: 'ChangesetController:changeset_download',
  async get(visit, place) {
    const diff = await visit.worker.open('download_diff', asked(visit, place));
    const fileName = `${diff.head.rawId.slice(0, 12)}.diff`;
    return sendContent(visit, diff, { 'Content-Type': plainText, 'Content-Disposition': attachment(fileName) });
  },
};
