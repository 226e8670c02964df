import { NotFoundError, OperationFailedError } from '@trunkline/contracts';
import { encodeName } from '@trunkline/runtime/text';
import { pathTo } from '../../http/path-segments.ts';
import { documentFormatOf } from '../../render/document-format.ts';
import { plainDocument } from '../../render/plain-text.ts';
import type { Visit } from '../../visit.ts';
import type { FileLocation } from './file-address.ts';

interface Document {
  readonly repoid: number;
  readonly location: FileLocation;
  readonly text: string;
}

/** Returns the bases of a document's links, which stay at the revision that the page names. */
export function basesOf({ repository, revision, path }: FileLocation) {
  const base = (page: string) => `${pathTo(repository, page)}/${encodeName(revision)}/`;
  const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  return { directory, linkBase: base('files'), rawBase: base('raw') };
}

/** Asks a worker for the HTML of reStructuredText; null where it cannot render it, or not now. */
async function readRst({ worker }: Pick<Visit, 'worker'>, { repoid, location }: Document): Promise<string | null> {
  const { revision, path } = location;
  try {
    return (await worker.callNew('view_document', { repoid, revision, path }))?.html ?? null;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof OperationFailedError) return null;
    throw error;
  }
}

/** Returns safe HTML of a document; its text as it is where it cannot be rendered. */
export async function renderDocument(visit: Pick<Visit, 'worker' | 'renderer'>, document: Document): Promise<string> {
  const { location, text } = document;
  const format = documentFormatOf(location.path) ?? 'markdown';
  const bases = basesOf(location);
  const rendered = async () => {
    if (format !== 'rst') return visit.renderer.document({ ...bases, format, text });
    const html = await readRst(visit, document);
    return html === null ? null : visit.renderer.document({ ...bases, format: 'html', text: html });
  };
  return (await rendered()) ?? plainDocument(text);
}
