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

/** The first of these programs that is on the PATH or where servers are; undefined when none is. */
export function findProgram(names, env) {
  const dirs = [...(env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', '/usr/local/sbin'];
  return names.flatMap((name) => dirs.map((dir) => join(dir, name))).find(isExecutable);
}
