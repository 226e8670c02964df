import { hashSync } from '@node-rs/argon2';
import { serveTasks } from './concurrency/serve-tasks.ts';
import { matchesHash } from './match-hash.ts';

export interface PasswordTask {
  readonly password: string;
  /** The hash to compare the password with; null to hash the password. */
  readonly hash: string | null;
  /** Whether a wrong password costs the work of a foreign hash, too. */
  readonly foreignWork: boolean;
}

serveTasks(({ password, hash, foreignWork }: PasswordTask) =>
  hash === null ? hashSync(password) : matchesHash(hash, password, foreignWork),
);
