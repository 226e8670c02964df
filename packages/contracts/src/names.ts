const segmentGrammar = /^[\p{L}\p{Nd}_][\p{L}\p{Nd}\p{M}._-]*$/u;
const deletedName = /^rm__\d{8}_/;

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'a name has no empty segments';
  if (/^[.-]/.test(segment)) return 'a segment must not begin with `.` or `-`';
  if (/(\.|\.git|\.hg)$/.test(segment)) return 'a segment must not end in `.`, `.git` or `.hg`';
  // A `repoid` of digits only is an id.
  if (/^\p{Nd}+$/u.test(segment)) return 'a segment must not consist of digits only';
  if (deletedName.test(segment)) return 'names of deleted repositories are reserved';
  if (!segmentGrammar.test(segment)) return 'a segment consists of letters, digits, `.`, `_` and `-`';
  return undefined;
}

/** Limit of the length of a full name, of a repository or a repository group. */
export const nameCharsMax = 255;

/** Returns why a name cannot be that of a repository or repository group; undefined when the name is valid. */
export function repositoryNameProblem(name: string): string | undefined {
  if (name.length < 1 || name.length > nameCharsMax) return `a name is 1 to ${nameCharsMax} characters long`;
  if (name.normalize('NFC') !== name) return 'a name must be in Unicode normal form C';
  const segments = name.split('/');
  // Pages live below `_admin`; `_<id>` is the address that outlives a rename.
  if (segments[0] === '_admin' || /^_\d+$/.test(segments[0] ?? '')) return 'the first segment is reserved';
  return segments.map(segmentProblem).find((problem) => problem !== undefined);
}

/** Returns the names of all enclosing groups, outermost first: `a/b/c` gives `a`, `a/b`. */
export function groupNames(name: string): string[] {
  const segments = name.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

export function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

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

/** Fewest characters of a password that a person chooses. */
export const passwordCharsMin = 8;

/**
 * Returns why a person cannot choose a password; undefined when it is allowed. Methods of the API and imports take any
 * password, as the programs do whose clients call them.
 */
export function passwordProblem(password: string, username: string): string | undefined {
  if (Array.from(password).length < passwordCharsMin) return `must be at least ${passwordCharsMin} characters`;
  if (password.toLowerCase() === username.toLowerCase()) return 'must not be the username';
  return undefined;
}

/** Returns why a name cannot be that of a user group; undefined when the name is valid. */
export function userGroupNameProblem(name: string): string | undefined {
  if (name.toLowerCase() === 'default') return 'this name is reserved';
  if (name.length < 2) return 'the name of a user group has at least two characters';
  return usernameProblem(name)?.replace('username', 'user group name');
}
