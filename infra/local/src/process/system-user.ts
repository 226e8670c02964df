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
