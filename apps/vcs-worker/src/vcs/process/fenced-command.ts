import { accessSync, constants } from 'node:fs';

const setpriv = '/usr/bin/setpriv';
const prlimit = '/usr/bin/prlimit';

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A long-lived command that dies with this process and can take only so much address space,
 * where the system has the tools for that.
 */
export function fencedCommand(command: readonly string[], memoryBytesMax: number): readonly string[] {
  return [
    ...(executable(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--'] : []),
    ...(executable(prlimit) ? [prlimit, `--as=${memoryBytesMax}`, '--core=0', '--'] : []),
    ...command,
  ];
}
