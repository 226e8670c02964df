/** What the render thread is asked for; every answer is one string. */
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

/** Where relative links of a Markdown file lead; both bases stand for the root of the repository and end with `/`. */
export interface MarkdownBase {
  /** The directory of the file: `` or `docs/guide`. */
  readonly directory: string;
  readonly linkBase: string;
  readonly rawBase: string;
}
