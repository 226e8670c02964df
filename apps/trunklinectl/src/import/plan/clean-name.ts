const nameCharsMax = 200;

function cleaned(text: string, forbidden: RegExp): string {
  const characters = text.normalize('NFC').replaceAll(forbidden, '_').slice(0, nameCharsMax);
  // Half a surrogate pair may be left at the end.
  const whole = characters.replace(/\p{Surrogate}$/u, '');
  // Names of digits alone are ids here.
  return /^\p{Nd}*$/u.test(whole) ? `${whole}_` : whole;
}

/** Returns a name of a user or user group like this one, which the grammar of names accepts. */
export function cleanUsername(name: string): string {
  const clean = cleaned(name, /[^\p{L}\p{Nd}\p{M}_.@-]+/gu);
  const begun = /^[\p{L}\p{Nd}_]/u.test(clean) ? clean : `_${clean}`;
  return /^(?:new_user|default)$/iu.test(begun) ? `${begun}_` : begun;
}

/** Returns a segment of a repository's or group's name like this one, which the grammar of names accepts. */
export function cleanSegment(segment: string, isFirst: boolean): string {
  const clean = cleaned(segment, /[^\p{L}\p{Nd}\p{M}._-]+/gu);
  const begun = /^[\p{L}\p{Nd}_]/u.test(clean) && !/^rm__\d{8}_/.test(clean) ? clean : `_${clean}`;
  const ended = /(?:\.|\.git|\.hg)$/.test(begun) ? `${begun}_` : begun;
  return isFirst && (ended === '_admin' || /^_\d+$/.test(ended)) ? `${ended}_` : ended;
}

/** Returns the first of `name`, `name-2`, `name-3` … that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!isTaken(candidate)) return candidate;
  }
}
