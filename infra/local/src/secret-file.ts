import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces `path` atomically by a file that only its owner can read. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

/** Returns the secret in the file `path`, 32 random bytes in hex; creates the file when it does not exist. */
export function keptSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const secret = randomBytes(32).toString('hex');
    writePrivateFile(path, `${secret}\n`);
    return secret;
  }
}
