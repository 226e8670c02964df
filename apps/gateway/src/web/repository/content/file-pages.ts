import { NotFoundError } from '@trunkline/contracts';
import { sendContent } from '../../worker/send-content.ts';
import type { Visit } from '../../visit.ts';
import type { PageAddress, RepositoryPage } from '../repository-page.ts';
import { anyBytes, inlineType, savedType } from './content-type.ts';
import { attachment } from './disposition.ts';

async function openFile(visit: Visit, { repoid, rest: [revision = 'tip', ...segments] }: PageAddress) {
  const fileName = segments.at(-1);
  if (fileName === undefined) throw new NotFoundError('There is no such file');
  const path = segments.join('/');
  return { fileName, file: await visit.worker.open('download_file', { repoid, revision, path }) };
}

/** The page of the raw bytes of a file, which the browser displays when their content type is safe. */
export const rawPage: RepositoryPage = {
  view: 'FilesController:raw',
  async get(visit, address) {
    const { fileName, file } = await openFile(visit, address);
    const type = inlineType(fileName, file.head.binary);
    const headers: Record<string, string> = type === null ? { 'Content-Disposition': attachment(fileName) } : {};
    return sendContent(visit, file, { ...headers, 'Content-Type': type ?? anyBytes }, file.head.size);
  },
};

/** The page that sends a file as a download. */
export const rawFilePage: RepositoryPage = {
  view: 'FilesController:rawfile',
  async get(visit, address) {
    const { fileName, file } = await openFile(visit, address);
    const headers = { 'Content-Type': savedType(fileName), 'Content-Disposition': attachment(fileName) };
    return sendContent(visit, file, headers, file.head.size);
  },
};
