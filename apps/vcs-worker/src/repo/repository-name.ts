const segmentGrammar = /^[\p{L}\p{Nd}_][\p{L}\p{Nd}\p{M}._-]*$/u;
const trashLike = /^rm__\d{8}_/;

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'a name has no empty segments';
  if (/^[.-]/.test(segment)) return 'a segment must not begin with `.` or `-`';
  if (/(\.|\.git|\.hg)$/.test(segment)) return 'a segment must not end in `.`, `.git` or `.hg`';
  if (/^\p{Nd}+$/u.test(segment)) return 'a segment must not consist of digits only';
  if (trashLike.test(segment)) return 'names of deleted repositories are reserved';
  if (!segmentGrammar.test(segment)) return 'a segment consists of letters, digits, `.`, `_` and `-`';
  return undefined;
}

/** The greatest length of the full name of a repository or repository group. */
export const nameCharsMax = 255;

/** Why a name cannot be that of a repository or repository group; undefined when it can. */
export function repositoryNameProblem(name: string): string | undefined {
  if (name.length < 1 || name.length > nameCharsMax) return `a name is 1 to ${nameCharsMax} characters long`;
  if (name.normalize('NFC') !== name) return 'a name must be in Unicode normal form C';
  const segments = name.split('/');
  if (segments[0] === '_admin' || /^_\d+$/.test(segments[0] ?? '')) return 'the first segment is reserved';
  return segments.map(segmentProblem).find((problem) => problem !== undefined);
}

/** Every group path that a name implies, from the root to the leaf: `a/b/c` gives `a`, `a/b`. */
export function groupPaths(name: string): string[] {
  const segments = name.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

export function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
