import { NotFoundError } from '@trunkline/contracts';
import { answerWithout, sendContent } from '../../send-content.ts';
import type { Visit } from '../../visit.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { splitAtLongest, splitAtName } from '../typed-revision.tsx';
import { findContentId, tagOf } from './content-id.ts';
import { attachment, inlineType, savedType, type FileHead } from './content-type.ts';

interface FileAt {
  readonly revision: string;
  readonly path: string;
}

/** Opens a file at the end of an address: behind the longest name that its beginning may be, else behind its first segment. */
async function openFile(visit: Visit, { repoid, rest }: PageAddress, first: FileAt, longest: FileAt | null) {
  const open = async ({ revision, path }: FileAt) => ({
    path,
    file: await visit.worker.open('download_file', { repoid, revision, path }),
  });
  try {
    return await open(longest ?? first);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const other = longest ? first : await splitAtName(visit, repoid, rest);
    if (other) return open(other);
    throw error;
  }
}

/** Sends a file; `headersOf` returns the headers that depend on its name, and on what its worker says of it. */
async function sendFile(
  visit: Visit,
  address: PageAddress,
  headersOf: (fileName: string, head: FileHead) => Readonly<Record<string, string>>,
): Promise<Response> {
  const [revision = 'tip', ...segments] = address.rest;
  const fileName = segments.at(-1);
  if (fileName === undefined) throw new NotFoundError('There is no such file');
  const first = { revision, path: segments.join('/') };
  const split = await splitAtLongest(visit, address.repoid, address.rest);
  // A name alone is no file.
  const longest = split?.path === '' ? null : split;
  const at = longest ?? first;
  const known = await findContentId(visit, { repoid: address.repoid, ...at });
  const without = known && answerWithout(visit, { etag: tagOf(known.raw_id, at.path), size: known.size });
  if (without) return without;
  const { path, file } = await openFile(visit, address, first, longest);
  const { rawId, size } = file.head;
  return sendContent(visit, file, headersOf(fileName, file.head), { etag: tagOf(rawId, path), size });
}

/** The page of the raw bytes of a file, which the browser displays when their content type is safe. */
export const rawPage: RepositoryPage = {
  pageName: 'FilesController:raw',
  get: (visit, address) =>
    sendFile(visit, address, (fileName, head) => {
      const type = inlineType(fileName, head);
      return type === null
        ? { 'Content-Type': savedType(fileName, head), 'Content-Disposition': attachment(fileName) }
        : { 'Content-Type': type };
    }),
};

/** The page that sends a file as a download. */
export const rawFilePage: RepositoryPage = {
  pageName: 'FilesController:rawfile',
  get: (visit, address) =>
    sendFile(visit, address, (fileName, head) => ({
      'Content-Type': savedType(fileName, head),
      'Content-Disposition': attachment(fileName),
    })),
};
