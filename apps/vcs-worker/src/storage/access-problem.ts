import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { hasCode } from '../has-code.ts';

/** Returns why this worker may not read or change an entry of a storage; undefined when it may, or when there is none. */
export async function accessProblem(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) return undefined;
    const owner = await stat(path).then(
      ({ uid, mode }) => `belongs to user ${uid} with mode ${(mode & 0o777).toString(8)}`,
      () => 'lies where it may not look',
    );
    return `${owner}, and workers run as user ${process.geteuid?.()}`;
  }
}
