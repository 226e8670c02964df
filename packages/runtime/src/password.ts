import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { BusyError } from '@trunkline/contracts';
import { createThreadPool } from './concurrency/thread-pool.ts';
import { dummyHash } from './hash-kinds.ts';
import type { PasswordTask } from './password-thread.ts';

/** Threads of their own have a lower priority than the event loop, which those of libuv's pool have not. */
const threads = createThreadPool<PasswordTask, string | boolean>({
  file: pathToFileURL(createRequire(import.meta.url).resolve('@trunkline/runtime/password-thread')),
  threads: 2,
  taskMsMax: 20_000,
  // The hundred tasks before take some seconds.
  waitMsMax: 20_000,
  waitingMax: 100,
  isShared: false,
  refuse: () => new BusyError({ quota: 'passwords' }),
});

async function run(task: PasswordTask): Promise<string | boolean> {
  const result = await threads.run(task, null);
  // The thread did not start, or did not answer, in time: the machine has no time for it.
  if (result === undefined) throw new BusyError({ quota: 'passwords' });
  return result;
}

/** Hashes a password with argon2id and a new salt. */
export async function hashPassword(password: string): Promise<string> {
  return String(await run({ password, hash: null, foreignWork: false }));
}

/**
 * Returns whether a password matches a hash; without a hash returns false after the same work. Where there are users
 * with foreign hashes, `foreignWork` has each wrong password cost the work of one of them beside its own.
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
  { foreignWork = false } = {},
): Promise<boolean> {
  const isRight = await run({ password, hash: passwordHash ?? dummyHash, foreignWork });
  return isRight === true && passwordHash !== null;
}
