import { existsSync } from 'node:fs';
import { StartError } from '../start-error.ts';
import type { SystemUser } from './system-user.ts';

const setpriv = '/usr/bin/setpriv';

export interface Guard {
  /** Signal that the kernel sends to the program when the thread that started it dies. */
  readonly signal: NodeJS.Signals;
  /** User as whom the program runs; null for the user of this process. */
  readonly user: SystemUser | null;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns the command that runs a program under a guard; without setpriv (util-linux), the program's own command. */
export function guardedCommand(program: string, args: readonly string[], { signal, user }: Guard): Command {
  if (existsSync(setpriv)) {
    const drops = user === null ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
    return { command: setpriv, args: ['--pdeathsig', signal.replace('SIG', ''), ...drops, '--', program, ...args] };
  }
  if (user === null) return { command: program, args };
  throw new StartError(`Postgres refuses to run as root, and ${setpriv} is missing to run it as another user`);
}
