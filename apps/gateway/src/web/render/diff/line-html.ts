import { escapeHtml } from '../plain-text.ts';
import { shownLines } from '../shown-text.ts';
import type { MarkedRange } from './changed-parts.ts';
import type { DiffLine } from './diff-file.ts';

/** A tag, a reference of a character, or a run of other text. */
const tokens = /<[^<>]*>|&[^&;<]*;|[^<&]+/g;

/** Returns HTML whose text between two offsets is marked, within whatever elements it stands in. */
function markText(html: string, { start, end }: MarkedRange): string {
  let marked = '';
  let at = 0;
  let open = false;
  const mark = (wanted: boolean) => {
    if (wanted !== open) marked += wanted ? '<mark>' : '</mark>';
    open = wanted;
  };
  for (const [token] of html.matchAll(tokens)) {
    if (token.startsWith('<')) {
      mark(false);
      marked += token;
      continue;
    }
    const isReference = token.startsWith('&');
    const length = isReference ? 1 : token.length;
    // Where the mark begins and ends within this token.
    const [from, to] = [start, end].map((offset) => Math.min(Math.max(offset - at, 0), length)) as [number, number];
    at += length;
    if (from === to) {
      mark(false);
      marked += token;
    } else if (isReference) {
      mark(true);
      marked += token;
    } else {
      if (from > 0) mark(false);
      marked += token.slice(0, from);
      mark(true);
      marked += token.slice(from, to);
      if (to < length) mark(false);
      marked += token.slice(to);
    }
  }
  mark(false);
  return marked;
}

/** Returns HTML whose tabs, and spaces at its end, are elements that styles make visible. */
function withVisibleSpaces(html: string): string {
  // The tags that close elements at the end of the line.
  let end = html.length;
  for (let tag = html.lastIndexOf('<'); html.endsWith('>', end) && html.startsWith('</', tag);) {
    end = tag;
    tag = html.lastIndexOf('<', end - 1);
  }
  const [text, marks] = [html.slice(0, end), html.slice(end)];
  const body = text.trimEnd();
  const tabs = (part: string) => part.replaceAll(/\t+/g, '<span class="tab-marks">$&</span>');
  const trailing = text.length > body.length ? `<span class="trailing-space">${text.slice(body.length)}</span>` : '';
  return tabs(body) + trailing + marks;
}

/**
 * Returns a line as HTML: with the colours of `coloured`, HTML of the line's shown text, with the marked part, and with
 * visible spaces where the line was changed.
 */
export function lineHtml({ kind, text, isCut }: DiffLine, coloured?: string, marked?: MarkedRange): string {
  let html = coloured ?? escapeHtml(shownLines(text));
  if (marked && marked.start < marked.end) {
    const offsetIn = (offset: number) => shownLines(text.slice(0, offset)).length;
    html = markText(html, { start: offsetIn(marked.start), end: offsetIn(marked.end) });
  }
  if (kind === 'added' || kind === 'removed') html = withVisibleSpaces(html);
  return isCut ? `${html}<span class="badge">cut off</span>` : html;
}
