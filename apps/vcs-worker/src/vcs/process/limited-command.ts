import { accessSync, constants } from 'node:fs';
import type { CommandLimits } from './command-limits.ts';

const setpriv = '/usr/bin/setpriv';
const prlimit = '/usr/bin/prlimit';
const ionice = '/usr/bin/ionice';

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
const hasIonice = executable(ionice);

/** Returns a command that prlimit starts under limits, in a millisecond; without prlimit it runs without limits. */
export function limitedCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  if (!hasPrlimit) return command;
  const { memoryBytes, dataBytes, fileBytes, cpuSeconds } = limits;
  return [
    prlimit,
    '--core=0',
    `--as=${memoryBytes}`,
    ...(dataBytes === undefined ? [] : [`--data=${dataBytes}`]),
    ...(fileBytes === undefined ? [] : [`--fsize=${fileBytes}`]),
    // By SIGXCPU first: SIGKILL, which comes a second later, is also what others send.
    ...(cpuSeconds === undefined ? [] : [`--cpu=${cpuSeconds}:${cpuSeconds + 1}`]),
    '--',
    ...command,
  ];
}

/** Returns a command that the kernel kills (SIGKILL) when this process dies, where there is setpriv. */
export function dieWithParent(command: readonly string[]): readonly string[] {
  return [...(hasSetpriv ? [setpriv, '--pdeathsig', 'KILL', '--'] : []), ...command];
}

/** Returns a limited command that the kernel also kills (SIGKILL) when this process dies, where there is setpriv. */
export function dieWithParentCommand(command: readonly string[], limits: CommandLimits): readonly string[] {
  return dieWithParent(limitedCommand(command, limits));
}

/**
 * Returns a command that reads the disk while nothing else does, where there is ionice and the kernel's scheduler of the
 * disk has classes.
 */
export function idleCommand(command: readonly string[]): readonly string[] {
  return hasIonice ? [ionice, '--class', 'idle', '--ignore', '--', ...command] : command;
}
