import { join } from 'node:path';

/** Directory of the checkout. */
export const projectRoot = join(import.meta.dirname, '../..');

/** Returns the path of a file or directory below `infra`. */
export const infra = (...names: readonly string[]) => join(projectRoot, 'infra', ...names);
