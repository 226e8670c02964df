/** Meanings of a user's revision (docs/architecture/vcs.md); no other text reaches a tool as a revision. */
export type Revision =
  | { readonly kind: 'tip' }
  | { readonly kind: 'id'; readonly rawId: string }
  | { readonly kind: 'number'; readonly number: number }
  /** A bookmark, branch or tag, also named in full; when there is none of that name, a unique prefix of an id. */
  | { readonly kind: 'name'; readonly name: string; readonly prefix: string | null };

const tipWords = new Set(['', 'tip', 'HEAD', 'head', '-1']);

/** A reference of one kind: it can be taken for no number, id or reference of another kind. */
export interface FullName {
  readonly kind: 'branch' | 'bookmark' | 'tag';
  readonly name: string;
}

/** What stands before the name, by which the kind is told. */
const fullPrefixes = {
  git: [
    ['refs/heads/', 'branch'],
    ['refs/tags/', 'tag'],
  ],
  hg: [
    ['book:', 'bookmark'],
    ['branch:', 'branch'],
    ['tag:', 'tag'],
  ],
} as const;

/** Returns the reference that a text names in full; null for any other text. */
export function parseFullName(type: 'git' | 'hg', text: string): FullName | null {
  for (const [prefix, kind] of fullPrefixes[type]) {
    if (text.startsWith(prefix)) return { kind, name: text.slice(prefix.length) };
  }
  return null;
}

/** Returns whether a bookmark, branch or tag can have this name. */
export function isName(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return text.length <= 255 && !/[\u0000-\u001f\u007f]/.test(text);
}

/** Parses a user's revision; returns undefined when it has none of the meanings. */
export function parseRevision(revision: string | number | null): Revision | undefined {
  const text = revision === null ? '' : String(revision);
  if (tipWords.has(text)) return { kind: 'tip' };
  if (/^[0-9a-f]{40}$/i.test(text)) return { kind: 'id', rawId: text.toLowerCase() };
  if (/^[0-9]{1,11}$/.test(text)) return { kind: 'number', number: Number(text) };
  const { name } = parseFullName('git', text) ?? parseFullName('hg', text) ?? { name: text };
  if (!isName(name)) return undefined;
  return { kind: 'name', name: text, prefix: /^[0-9a-f]{4,39}$/i.test(text) ? text.toLowerCase() : null };
}

/** Returns whether a revision is one of the words for the newest changeset. */
export function meansTip(revision: string | number | null): boolean {
  return parseRevision(revision)?.kind === 'tip';
}
