import { NotFoundError } from '@trunkline/contracts';
import { sendContent } from '../../send-content.ts';
import { throwNoPage, type PageAddress, type RepositoryPage } from '../repository-page.ts';
import { splitAtName } from '../typed-revision.tsx';
import { diffArgsOf } from '../changeset/diff-urls.tsx';
import { anyBytes, inlineType, plainText, savedType } from './content-type.ts';
import type { PageName } from '../../identify.ts';
import type { Visit } from '../../visit.ts';

/** Returns the Content-Disposition header (RFC 6266) of a download with any file name. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

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
  pageName: 'FilesController:archivefile',
  async get(visit, { repoid, name, rest }) {
    const { revision, format } = parseArchiveName(rest.join('/'));
    const subrepos = visit.query.get('subrepos') === 'true';
    const archive = await visit.worker.open('download_archive', { repoid, revision, format, subrepos });
    const fileName = `${name.replaceAll('/', '_')}-${archive.head.rawId.slice(0, 12)}.${format}`;
    return sendContent(visit, archive, { 'Content-Type': types[format], 'Content-Disposition': attachment(fileName) });
  },
};

export const diffPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_raw',
  async get(visit, address) {
    const diff = await visit.worker.open('download_diff', diffArgsOf(visit, address));
    return sendContent(visit, diff, { 'Content-Type': plainText });
  },
};

export const patchPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_patch',
  async get(visit, address) {
    const patch = await visit.worker.open('download_patch', diffArgsOf(visit, address));
    return sendContent(visit, patch, { 'Content-Type': plainText });
  },
};

export const diffDownloadPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_download',
  async get(visit, address) {
    const diff = await visit.worker.open('download_diff', diffArgsOf(visit, address));
    const fileName = `${diff.head.rawId.slice(0, 12)}.diff`;
    return sendContent(visit, diff, { 'Content-Type': plainText, 'Content-Disposition': attachment(fileName) });
  },
};

/** Returns the page that streams an RSS or Atom feed of a repository's newest changesets. */
function feedPage(pageName: PageName, format: 'rss' | 'atom'): RepositoryPage {
  return {
    pageName,
    async get(visit, { repoid, rest }) {
      if (rest.length > 0) return throwNoPage();
      const feed = await visit.worker.open('repository_feed', { repoid, format, base_url: visit.baseUrl });
      return sendContent(visit, feed, { 'Content-Type': feed.head.contentType });
    },
  };
}

export const rssPage = feedPage('FeedController:rss', 'rss');
export const atomPage = feedPage('FeedController:atom', 'atom');

async function openFile(visit: Visit, { repoid, rest }: PageAddress) {
  const [revision = 'tip', ...segments] = rest;
  const fileName = segments.at(-1);
  if (fileName === undefined) throw new NotFoundError('There is no such file');
  const open = (at: { readonly revision: string; readonly path: string }) =>
    visit.worker.open('download_file', { repoid, ...at });
  try {
    return { fileName, file: await open({ revision, path: segments.join('/') }) };
  } catch (error) {
    const split = error instanceof NotFoundError ? await splitAtName(visit, repoid, rest) : null;
    if (split) return { fileName, file: await open(split) };
    throw error;
  }
}

/** The page of the raw bytes of a file, which the browser displays when their content type is safe. */
export const rawPage: RepositoryPage = {
  pageName: 'FilesController:raw',
  async get(visit, address) {
    const { fileName, file } = await openFile(visit, address);
    const type = inlineType(fileName, file.head.binary);
    const headers: Record<string, string> = type === null ? { 'Content-Disposition': attachment(fileName) } : {};
    return sendContent(visit, file, { ...headers, 'Content-Type': type ?? anyBytes }, file.head.size);
  },
};

/** The page that sends a file as a download. */
export const rawFilePage: RepositoryPage = {
  pageName: 'FilesController:rawfile',
  async get(visit, address) {
    const { fileName, file } = await openFile(visit, address);
    const headers = { 'Content-Type': savedType(fileName), 'Content-Disposition': attachment(fileName) };
    return sendContent(visit, file, headers, file.head.size);
  },
};
