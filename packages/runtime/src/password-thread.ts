import { hashSync, verifySync } from '@node-rs/argon2';
import { serveTasks } from './concurrency/threads/serve-tasks.ts';

export interface PasswordTask {
  readonly password: string;
  /** The hash to compare the password with; null to hash the password. */
  readonly hash: string | null;
}

serveTasks(({ password, hash }: PasswordTask) => (hash === null ? hashSync(password) : verifySync(hash, password)));
