import { sendContent } from '../../worker/send-content.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { diffArgsOf } from './diff-args.ts';
import { plainText } from './content-type.ts';
import { attachment } from './disposition.ts';

export const diffPage: RepositoryPage = {
  view: 'ChangesetController:changeset_raw',
  async get(visit, address) {
    const diff = await visit.worker.open('download_diff', diffArgsOf(visit, address));
    return sendContent(visit, diff, { 'Content-Type': plainText });
  },
};

export const patchPage: RepositoryPage = {
  view: 'ChangesetController:changeset_patch',
  async get(visit, address) {
    const patch = await visit.worker.open('download_patch', diffArgsOf(visit, address));
    return sendContent(visit, patch, { 'Content-Type': plainText });
  },
};

export const diffDownloadPage: RepositoryPage = {
  view: 'ChangesetController:changeset_download',
  async get(visit, address) {
    const diff = await visit.worker.open('download_diff', diffArgsOf(visit, address));
    const fileName = `${diff.head.rawId.slice(0, 12)}.diff`;
    return sendContent(visit, diff, { 'Content-Type': plainText, 'Content-Disposition': attachment(fileName) });
  },
};
