import { UsageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Reads a new password; who types it types it twice. */
export async function readNewPassword(terminal: Terminal): Promise<string> {
  const password = await terminal.readSecret('Password: ');
  if (password === '') throw new UsageError('the password must not be empty');
  if (terminal.isTyped && (await terminal.readSecret('Again: ')) !== password) {
    throw new UsageError('the two passwords differ');
  }
  return password;
}
