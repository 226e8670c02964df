import { escapeHtml } from '../text/escape-html.ts';

/** Returns a document as preformatted text, for a document that is too large or takes too long to render. */
export function plainMarkdown(text: string): string {
  return `<pre class="plain">${escapeHtml(text)}</pre>`;
}
