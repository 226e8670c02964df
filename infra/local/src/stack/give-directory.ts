import { lchownSync, lstatSync, mkdirSync } from 'node:fs';
import { lchown, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SystemUser } from '../process/system-users.ts';
import { StartError } from '../start-error.ts';

async function giveEntries(path: string, { uid, gid }: SystemUser): Promise<void> {
  for await (const entry of await opendir(path)) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveEntries(child, { uid, gid });
    await lchown(child, uid, gid);
  }
}

/**
 * Makes a directory, if it is missing, and gives it to a user with everything in it; null is the user of this process.
 * The directory itself comes last, so that a start that was interrupted is continued by the next one. Follows no link.
 */
export async function giveDirectory(path: string, user: SystemUser | null): Promise<void> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (user === null) return;
  const { uid } = lstatSync(path);
  if (uid === user.uid) return;
  if (uid !== 0) {
    throw new StartError(`${path} belongs to user id ${uid}: start as that user, or give it to user id ${user.uid}`);
  }
  await giveEntries(path, user);
  lchownSync(path, user.uid, user.gid);
}
