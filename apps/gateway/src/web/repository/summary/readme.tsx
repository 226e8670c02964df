import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { documentExtensions, documentFormatOf } from '../../render/document-format.ts';
import { shownLines, shownText } from '../../render/shown-text.ts';
import type { Visit } from '../../visit.ts';
import { fileAddress, within, type FileLocation } from '../files/file-address.ts';
import { renderDocument } from '../files/render-document.ts';
import type { RepositoryHead } from '../repository-head.ts';

interface Entry {
  readonly name: string;
  readonly kind: string;
}

/** Extensions in the order of preference; '' is `README` without an extension. */
const preferredExtensions = [...documentExtensions, 'txt', 'text', ''];
const readmeName = /^readme(?:\.([^.]+))?$/i;
/** Names such as `README.de.md`: often a translation, or about a part of the project. */
const qualifiedReadmeName = /^readme(?:\.[^.]+)+\.([^.]+)$/i;

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
  readonly location: FileLocation;
  /** Safe HTML of a document, or the text of another file; neither when the file cannot be shown. */
  readonly html?: string;
  readonly text?: string;
}

interface Directory {
  /** The revision as links name it. */
  readonly revision: string;
  /** The path from the root of the repository; the root itself is ''. */
  readonly directory: string;
  readonly entries: readonly Entry[];
}

/** Reads the README of a directory, by one command, or two for reStructuredText; null when there is none. */
export async function readReadme(
  visit: Pick<Visit, 'worker' | 'renderer'>,
  { repo_id: repoid, repo_name: repository }: Pick<RepositoryHead, 'repo_id' | 'repo_name'>,
  { revision, directory, entries }: Directory,
): Promise<Readme | null> {
  const name = findReadme(entries);
  if (name === null) return null;
  const location = within({ repository, revision, path: directory }, name);
  try {
    const { file } = await visit.worker.call('view_path', { repoid, revision, path: location.path });
    const text = file?.text ?? null;
    if (text === null) return { location };
    if (documentFormatOf(name) !== null)
      return { location, html: await renderDocument(visit, { repoid, location, text }) };
    return { location, text: shownLines(text.replaceAll('\r\n', '\n')) };
  } catch (error) {
    // The file cannot be read now; the directory can be shown without it.
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
export function ReadmePanel({ readme }: { readme: Readme }) {
  const { location } = readme;
  return (
    <section class="panel" aria-labelledby="readme">
      <header>
        <h2 id="readme">
          <a href={fileAddress('files', location)}>{shownText(location.path.split('/').at(-1) ?? '')}</a>
        </h2>
      </header>
      <Body readme={readme} />
    </section>
  );
}
