const grammar = /^[\p{L}\p{Nd}_][\p{L}\p{Nd}\p{M}_.@-]*$/u;

/** Returns why a name cannot be a username; undefined when the name is valid. */
export function usernameProblem(name: string): string | undefined {
  if (name.length < 1 || name.length > 255) return 'a username is 1 to 255 characters long';
  if (name.normalize('NFC') !== name) return 'a username must be in Unicode normal form C';
  if (/^\p{Nd}+$/u.test(name)) return 'a username must not consist of digits only';
  if (name.toLowerCase() === 'new_user') return 'this username is reserved';
  if (!grammar.test(name)) {
    return 'a username begins with a letter, a digit or `_` and continues with letters, digits, `-`, `_`, `.` and `@`';
  }
  return undefined;
}
