import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { shownLines, shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { landingRevision } from '../full-name.ts';
import type { RepositoryHead } from '../repository-head.ts';

interface Entry {
  readonly name: string;
  readonly kind: string;
}

const markdownExtensions = ['md', 'markdown', 'mdown', 'mkd'];
/** Extensions in the order of preference; '' is `README` without an extension. */
const preferredExtensions = [...markdownExtensions, 'rst', 'txt', 'text', ''];
const markdownName = new RegExp(`\\.(?:${markdownExtensions.join('|')})$`, 'i');
const readmeName = /^readme(?:\.([^.]+))?$/i;
/** Names such as `README.de.md`: often a translation, or about a part of the project. */
const qualifiedReadmeName = /^readme(?:\.[^.]+)+\.([^.]+)$/i;

export function isMarkdown(name: string): boolean {
  return markdownName.test(name);
}

/** Returns the rank of a README's name, the lower the better; null for the name of any other file. */
function rankOf(name: string): number | null {
  const exact = readmeName.exec(name);
  const match = exact ?? qualifiedReadmeName.exec(name);
  if (!match) return null;
  const { 1: extension = '' } = match;
  const preference = preferredExtensions.indexOf(extension.toLowerCase());
  const count = preferredExtensions.length + 1;
  return (preference === -1 ? count - 1 : preference) + (exact ? 0 : count);
}

/**
 * Returns the name of a directory's README, in upper or lower case: `README.<extension>` in the order of the preferred
 * extensions, then with any other extension; a name with two dots only if there is none of these. Null when no file is
 * a README.
 */
export function findReadme(entries: readonly Entry[]): string | null {
  const ranked = entries.flatMap(({ kind, name }) => {
    const rank = kind === 'file' ? rankOf(name) : null;
    return rank === null ? [] : [{ name, rank }];
  });
  const [best] = ranked.toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  return best?.name ?? null;
}

interface Readme {
  readonly name: string;
  /** Safe HTML of Markdown, or the text of another format; neither when the file cannot be shown. */
  readonly html?: string;
  readonly text?: string;
}

/** Reads the README at the landing revision; null when there is none. */
export async function readReadme({ worker, renderer }: Visit, head: RepositoryHead): Promise<Readme | null> {
  const { repo_id: repoid, repo_name: repository } = head;
  const revision = landingRevision(head);
  try {
    const { entries } = await worker.call('view_path', { repoid, revision, path: '' });
    const name = findReadme(entries ?? []);
    if (name === null) return null;
    const { file } = await worker.call('view_path', { repoid, revision, path: name });
    const text = file?.text ?? null;
    if (text === null) return { name };
    if (!isMarkdown(name)) return { name, text: shownLines(text.replaceAll('\r\n', '\n')) };
    const base = (page: string) => `${pathTo(repository)}/${page}/${encodeName(revision)}/`;
    const html = await renderer.markdown({ text, directory: '', linkBase: base('files'), rawBase: base('raw') });
    return { name, html };
  } catch (error) {
    // The revision does not exist, or the directory is too large to be read.
    if (error instanceof NotFoundError || error instanceof OperationFailedError) return null;
    throw error;
  }
}

function Body({ readme: { html, text } }: { readme: Readme }) {
  // The renderer emits safe HTML only.
  if (html !== undefined) return <div class="body markdown" dangerouslySetInnerHTML={{ __html: html }} />;
  if (text !== undefined) return <pre class="body">{text}</pre>;
  return <p class="body soft">This file is too large to be shown here or is not text.</p>;
}

/** Renders a README below its name. */
export function ReadmePanel({ repository, readme }: { repository: RepositoryHead; readme: Readme }) {
  const revision = encodeName(landingRevision(repository));
  const href = `${pathTo(repository.repo_name)}/files/${revision}/${encodeName(readme.name)}`;
  return (
    <section class="panel" aria-labelledby="readme">
      <header>
        <h2 id="readme">
          <a href={href}>{shownText(readme.name)}</a>
        </h2>
      </header>
      <Body readme={readme} />
    </section>
  );
}
