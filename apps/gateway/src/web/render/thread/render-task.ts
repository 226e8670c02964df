/** A task of a render thread; every answer is one string. */
export type RenderTask = HighlightTask | MarkdownTask;

export interface HighlightTask {
  readonly kind: 'highlight';
  readonly text: string;
  readonly fileName: string;
}

export interface MarkdownTask extends MarkdownBase {
  readonly kind: 'markdown';
  readonly text: string;
}

/**
 * The bases of a Markdown file's relative links; both base URLs are those of the repository's root and end with `/`.
 */
export interface MarkdownBase {
  /** The directory of the file: '' or, for example, `docs/guide`. */
  readonly directory: string;
  readonly linkBase: string;
  readonly rawBase: string;
}
