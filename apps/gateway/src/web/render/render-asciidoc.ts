import type { DocumentBase } from './render-task.ts';
import { safeHtml } from './safe-html.ts';

/** Attributes that a document may change, as their `@` says. */
const attributes = {
  showtitle: '@',
  // Ids as in Markdown, by which links name headings.
  idprefix: '@',
  idseparator: '-@',
  // Documents link to each other by the names of their files.
  relfilesuffix: '.adoc@',
};

/** Renders untrusted AsciiDoc as safe HTML; null when the HTML would be too large. */
export async function renderAsciidoc(text: string, base: DocumentBase): Promise<string | null> {
  // Loaded when it is first needed: it is as large as all else in a thread.
  const { convert } = await import('@asciidoctor/core');
  // In this mode a document includes nothing, and reads nothing of its environment.
  const html = await convert(text, { safe: 'secure', standalone: false, backend: 'html5', attributes, logger: null });
  return typeof html === 'string' ? safeHtml(html, base) : null;
}
