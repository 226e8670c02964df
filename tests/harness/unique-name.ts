import { randomBytes } from 'node:crypto';

/**
 * Letters as people's names have them: with an accent, of Cyrillic, Han and Arabic, beyond the basic plane, and with a
 * mark that NFC keeps. They stand last, so that no name is a prefix of another.
 */
const letters = 'é-ж語ع𐐷m̄';

/** Returns a name that no other test has, in ASCII alone, for readers that take no other, such as Postgres's tools. */
export function uniqueAscii(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/** Returns a name that no other test has, with letters of several scripts. */
export function uniqueName(prefix: string): string {
  return `${uniqueAscii(prefix)}-${letters}`;
}

/** Who commits in tests, as Git and Mercurial record authors. */
export const author = { name: `Ann ${letters}`, full: `Ann ${letters} <ann@example.com>` };

/** What tests say of a commit that need no words of their own. */
export const someMessage = `change ${letters}`;

/** The first branch of Git repositories of tests that need no other. */
export const mainBranch = `main-${letters}`;
export const mainReference = `refs/heads/${mainBranch}`;

/** The file that tests commit where its name does not matter. */
export const someFile = `file-${letters}.txt`;
