import { readFileSync } from 'node:fs';
import { StartError } from '../start-error.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the user for servers that refuse to run as root: `nobody` when this process is root, otherwise null. */
export function unprivilegedUser(): SystemUser | null {
  if (process.geteuid?.() !== 0) return null;
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
  if (!(uid > 0 && gid > 0)) throw new StartError('Postgres refuses to run as root and there is no user "nobody"');
  return { uid, gid };
}

/** The users of gateways and workers; null for the user of this process. */
export interface AppUsers {
  readonly gateway: SystemUser | null;
  readonly worker: SystemUser | null;
}

/**
 * Ids that neither Debian nor systemd gives to anyone: `nobody`, as whom Postgres runs, must not read what gateways and
 * workers keep, nor they what the other keeps.
 */
const ids = { gateway: 60_801, worker: 60_802 };

function requireUnused(id: number): void {
  for (const path of ['/etc/passwd', '/etc/group']) {
    const taken = readFileSync(path, 'utf8').match(new RegExp(`^([^:\n]*):[^:\n]*:${id}:`, 'm'));
    if (taken)
      throw new StartError(`${taken[1]} in ${path} has the id ${id}, which Trunkline needs when root starts it`);
  }
}

/** Returns the users of gateways and workers: others than root, when this process is root. */
export function appUsers(): AppUsers {
  if (process.geteuid?.() !== 0) return { gateway: null, worker: null };
  for (const id of Object.values(ids)) requireUnused(id);
  const userOf = (id: number) => ({ uid: id, gid: id });
  return { gateway: userOf(ids.gateway), worker: userOf(ids.worker) };
}
