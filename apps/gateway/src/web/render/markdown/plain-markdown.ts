import { escapeHtml } from '../text/escape-html.ts';

/** A document as it was written, in place of one that is too large or takes too long. */
export function plainMarkdown(text: string): string {
  return `<pre class="plain">${escapeHtml(text)}</pre>`;
}
