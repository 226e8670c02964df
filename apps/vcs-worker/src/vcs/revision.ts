/** What a user's revision can mean (docs/architecture.md, Revisions); nothing else ever reaches a tool. */
export type Revision =
  | { readonly kind: 'tip' }
  | { readonly kind: 'id'; readonly rawId: string }
  | { readonly kind: 'number'; readonly number: number }
  /** A bookmark, branch or tag, or else a unique prefix of an id. */
  | { readonly kind: 'name'; readonly name: string; readonly prefix: string | null };

const tipWords = new Set(['', 'tip', 'HEAD', 'head', '-1']);

/** Whether a bookmark, branch or tag can have this name at all. */
export function isName(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is refused
  return text.length <= 255 && !/[\u0000-\u001f\u007f]/.test(text);
}

/** Reads a revision; undefined when nothing can be meant. */
export function parseRevision(revision: string | number | null): Revision | undefined {
  const text = revision === null ? '' : String(revision);
  if (tipWords.has(text)) return { kind: 'tip' };
  if (/^[0-9a-f]{40}$/i.test(text)) return { kind: 'id', rawId: text.toLowerCase() };
  if (/^[0-9]{1,11}$/.test(text)) return { kind: 'number', number: Number(text) };
  if (!isName(text)) return undefined;
  return { kind: 'name', name: text, prefix: /^[0-9a-f]{4,39}$/i.test(text) ? text.toLowerCase() : null };
}

/** Whether a revision is one of the words for the newest changeset. */
export function meansTip(revision: string | number | null): boolean {
  return parseRevision(revision)?.kind === 'tip';
}
