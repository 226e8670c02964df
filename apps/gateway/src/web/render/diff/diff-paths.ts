const escapes = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
]);

/** Decodes a quoted path. Octal escapes are bytes, of which several may be one character. */
function unquote(quoted: string): string {
  const bytes = Buffer.from(quoted).toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3}|.)/g, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8) & 0xff) : (escapes.get(escape) ?? escape),
  );
  return Buffer.from(plain, 'latin1').toString();
}

const quotedPattern = /^"((?:[^"\\]|\\.)*)"/;

/** Returns the path of a line such as `rename from`: git quotes some paths, Mercurial none. */
export function diffPath(text: string): string {
  const quoted = quotedPattern.exec(text);
  return quoted?.[0] === text ? unquote(quoted[1] ?? '') : text;
}

/**
 * Returns the path of a line `---` or `+++` without its prefix `a/` or `b/`, and without the tab after a name with
 * spaces; null for `/dev/null`.
 */
export function prefixedDiffPath(text: string): string | null {
  const path = diffPath(text.endsWith('\t') ? text.slice(0, -1) : text);
  return path === '/dev/null' ? null : path.slice(2);
}

/**
 * Returns both paths of a line `diff --git`. Two unquoted paths can be split only if they are equal; otherwise later
 * header lines give each path.
 */
export function headerPaths(text: string): readonly [string, string] {
  const quoted = quotedPattern.exec(text)?.[0];
  const [old, new_] = quoted ? [quoted, text.slice(quoted.length + 1)] : unquotedFirst(text);
  return [diffPath(old).slice(2), diffPath(new_).slice(2)];
}

function unquotedFirst(text: string): readonly [string, string] {
  const middle = (text.length - 1) / 2;
  const isTwice = text.slice(2, middle) === text.slice(middle + 3);
  const space = isTwice && text[middle] === ' ' ? middle : Math.max(0, text.search(/ "?b\//));
  return [text.slice(0, space), text.slice(space + 1)];
}
