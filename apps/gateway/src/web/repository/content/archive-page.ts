import { NotFoundError } from '@trunkline/contracts';
import { sendContent } from '../../worker/send-content.ts';
import type { RepositoryPage } from '../repository-page.ts';
import { attachment } from './disposition.ts';

/** Content types by the file extensions of the archive formats. */
const types = {
  'tar.gz': 'application/x-gzip',
  'tar.bz2': 'application/x-bzip2',
  tar: 'application/x-tar',
  zip: 'application/zip',
} as const;

type Format = keyof typeof types;

function parseArchiveName(name: string): { revision: string; format: Format } {
  for (const format of ['tar.gz', 'tar.bz2', 'tar', 'zip'] as const) {
    if (name.endsWith(`.${format}`)) return { revision: name.slice(0, -format.length - 1), format };
  }
  throw new NotFoundError('Unknown archive type');
}

/** The page that sends an archive of all files at a changeset. */
export const archivePage: RepositoryPage = {
  view: 'FilesController:archivefile',
  async get(visit, { repoid, name, rest }) {
    const { revision, format } = parseArchiveName(rest.join('/'));
    const subrepos = visit.query.get('subrepos') === 'true';
    const archive = await visit.worker.open('download_archive', { repoid, revision, format, subrepos });
    const fileName = `${name.replaceAll('/', '_')}-${archive.head.rawId.slice(0, 12)}.${format}`;
    return sendContent(visit, archive, { 'Content-Type': types[format], 'Content-Disposition': attachment(fileName) });
  },
};
