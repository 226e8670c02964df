/** A task of a render thread; every answer is one string. */
export type RenderTask = HighlightTask | PartsTask | DocumentTask | NotebookTask | TableTask;

export interface HighlightTask {
  readonly kind: 'highlight';
  readonly text: string;
  readonly fileName: string;
}

/** Parts of files, such as the hunks of a diff: each name, and the text of that part. */
export type FileParts = readonly (readonly [fileName: string, text: string])[];

/** The lines of a part as HTML; null for a part without colours. */
export type ColouredParts = readonly (readonly string[] | null)[];

/** A task for `FileParts` in JSON, whose answer is `ColouredParts` in JSON. */
export interface PartsTask {
  readonly kind: 'parts';
  readonly text: string;
}

/** Its answer is empty when the HTML would be too large. */
export interface DocumentTask extends DocumentBase {
  readonly kind: 'document';
  /** `html` is what another program has made of a document; it is as untrusted as the document. */
  readonly format: 'markdown' | 'asciidoc' | 'html';
  readonly text: string;
}

export interface NotebookTask extends DocumentBase {
  readonly kind: 'notebook';
  readonly text: string;
}

interface TableTask {
  readonly kind: 'table';
  readonly text: string;
}

/**
 * The bases of a document's relative links; both base URLs are those of the repository's root and end with `/`.
 */
export interface DocumentBase {
  /** The directory of the file: '' or, for example, `docs/guide`. */
  readonly directory: string;
  readonly linkBase: string;
  readonly rawBase: string;
}

/** Limit of a document's text, in characters; a longer one is shown as it is. */
export const textMax = 512 * 1_024;
/** Limits beyond which content is shown without colours: bytes of a file, lines, and characters of a line. */
export const colouredBytesMax = 256 * 1_024;
export const linesMax = 10_000;
export const lineMax = 5_000;
/** The limit of HTML, in characters: markup may grow to many times the size of its text. */
export const htmlMax = 4 * 1_024 * 1_024;
