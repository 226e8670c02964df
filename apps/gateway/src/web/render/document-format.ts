/** The formats of documents that pages show rendered. */
export type DocumentFormat = 'markdown' | 'rst' | 'asciidoc';

/** Formats by the extension of a file's name, the preferred ones of a README first. */
const formats = new Map<string, DocumentFormat>([
  ['md', 'markdown'],
  ['markdown', 'markdown'],
  ['mdown', 'markdown'],
  ['mkd', 'markdown'],
  ['rst', 'rst'],
  ['adoc', 'asciidoc'],
  ['asciidoc', 'asciidoc'],
]);

export const documentExtensions: readonly string[] = [...formats.keys()];

/** Returns the format of a document by the name or path of its file; null for any other file. */
export function documentFormatOf(name: string): DocumentFormat | null {
  return formats.get(/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '') ?? null;
}
