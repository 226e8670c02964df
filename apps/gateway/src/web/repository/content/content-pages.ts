import { NotFoundError } from '@trunkline/contracts';
import { answerWithout, sendContent, sendFeed } from '../../send-content.ts';
import { throwNoPage, type RepositoryPage } from '../repository-page.ts';
import { diffArgsOf } from '../changeset/diff-urls.tsx';
import { openDiff } from '../compare/compared-sides.ts';
import { findContentId, tagOf } from './content-id.ts';
import { attachment, plainText } from './content-type.ts';
import type { PageName } from '../../identify.ts';

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

/** Tells archives apart: weakly, since programs of other releases write other bytes about the same files. */
function archiveValidators(name: string, rawId: string) {
  return { etag: `W/${tagOf(name, rawId)}`, size: null };
}

/** Returns the name of the tag that a revision names in full, as part of the name of a file; null for other revisions. */
function tagIn(revision: string): string | null {
  return /^(?:refs\/tags\/|tag:)(.+)$/s.exec(revision)?.[1]?.replaceAll('/', '_') ?? null;
}

/** The page that sends an archive of all files at a changeset. */
export const archivePage: RepositoryPage = {
  pageName: 'FilesController:archivefile',
  async get(visit, { repoid, name, rest }) {
    const { revision, format } = parseArchiveName(rest.join('/'));
    const subrepos = visit.query.get('subrepos') === 'true';
    const known = await findContentId(visit, { repoid, revision, path: null });
    const without = known && answerWithout(visit, archiveValidators(name, known.raw_id));
    if (without) return without;
    const archive = await visit.worker.open('download_archive', { repoid, revision, format, subrepos });
    const fileName = `${name.replaceAll('/', '_')}-${tagIn(revision) ?? archive.head.rawId.slice(0, 12)}.${format}`;
    const headers = { 'Content-Type': types[format], 'Content-Disposition': attachment(fileName) };
    return sendContent(visit, archive, headers, archiveValidators(name, archive.head.rawId));
  },
};

export const diffPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_raw',
  async get(visit, address) {
    const diff = await openDiff(visit, address);
    return sendContent(visit, diff, { 'Content-Type': plainText(diff.body) });
  },
};

export const patchPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_patch',
  async get(visit, address) {
    const patch = await visit.worker.open('download_patch', diffArgsOf(visit, address));
    return sendContent(visit, patch, { 'Content-Type': plainText(patch.body) });
  },
};

export const diffDownloadPage: RepositoryPage = {
  pageName: 'ChangesetController:changeset_download',
  async get(visit, address) {
    const diff = await openDiff(visit, address);
    const fileName = `${diff.head.rawId.slice(0, 12)}.diff`;
    const headers = { 'Content-Type': plainText(diff.body), 'Content-Disposition': attachment(fileName) };
    return sendContent(visit, diff, headers);
  },
};

/** Returns the page that streams an RSS or Atom feed of a repository's newest changesets. */
function feedPage(pageName: PageName, format: 'rss' | 'atom'): RepositoryPage {
  return {
    pageName,
    async get(visit, { repoid, rest }) {
      if (rest.length > 0) return throwNoPage();
      const feed = await visit.worker.open('repository_feed', { repoid, format, base_url: visit.baseUrl });
      return sendFeed(visit, feed);
    },
  };
}

export const rssPage = feedPage('FeedController:rss', 'rss');
export const atomPage = feedPage('FeedController:atom', 'atom');
