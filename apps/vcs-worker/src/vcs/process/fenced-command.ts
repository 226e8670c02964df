import { accessSync, constants } from 'node:fs';
import type { CommandLimits } from './command-limits.ts';

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

const hasSetpriv = executable(setpriv);
const hasPrlimit = executable(prlimit);

/** A command that can take only so much, where the system has the tool for that; it adds a millisecond. */
export function limitedCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  if (!hasPrlimit) return command;
  const { memoryBytes, fileBytes, cpuSeconds } = limits;
  return [
    prlimit,
    '--core=0',
    `--as=${memoryBytes}`,
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}`]),
    '--',
    ...command,
  ];
}

/** The same for a command that may live long: it also dies with this process. */
export function fencedCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  return [...(hasSetpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []), ...limitedCommand(command, limits)];
}
