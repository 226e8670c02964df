import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the path of the first of the programs `names`, in their order, that is on the PATH or in an sbin directory;
 * undefined when none is.
 */
export function findProgram(names, env) {
  const dirs = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  return names.flatMap((name) => dirs.map((dir) => join(dir, name))).find(isExecutable);
}
