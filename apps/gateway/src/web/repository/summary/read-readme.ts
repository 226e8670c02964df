import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { shownLines } from '../../render/text/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { landingRevision } from '../head/landing-revision.ts';
import type { RepositoryHead } from '../head/repository-head.ts';
import { findReadme, isMarkdown } from './find-readme.ts';

export interface Readme {
  readonly name: string;
  /** Safe HTML of Markdown, or the text of another format; neither when the file cannot be shown. */
  readonly html?: string;
  readonly text?: string;
}

/** Reads the README at the landing revision; null when there is none. */
export async function readReadme(
  { worker, renderer }: Visit,
  { repo_id: repoid, repo_name: repository, landing_rev: landingRev }: RepositoryHead,
): Promise<Readme | null> {
  const revision = landingRevision(landingRev);
  try {
    const { entries } = await worker.call('view_path', { repoid, revision, path: '' });
    const name = findReadme(entries ?? []);
    if (name === null) return null;
    const { file } = await worker.call('view_path', { repoid, revision, path: name });
    const text = file?.text ?? null;
    if (text === null) return { name };
    if (!isMarkdown(name)) return { name, text: shownLines(text.replaceAll('\r\n', '\n')) };
    const base = (page: string) => `${pathTo(repository)}/${page}/${encodeURIComponent(revision)}/`;
    const html = await renderer.markdown({ text, directory: '', linkBase: base('files'), rawBase: base('raw') });
    return { name, html };
  } catch (error) {
    // The revision does not exist, or the directory is too large to be read.
    if (error instanceof NotFoundError || error instanceof OperationFailedError) return null;
    throw error;
  }
}
