import hljs from 'highlight.js';
import { shownLines } from '../text/shown-text.ts';
import { splitLines } from '../text/split-lines.ts';
import { languageOf } from './language-of.ts';
import { plainLines } from './plain-lines.ts';
import { colouredBytesMax, htmlMax, lineMax, linesMax } from '../thread/render-caps.ts';
import { splitHighlighted } from './split-highlighted.ts';

function highlightAs(language: string, text: string): string[] | undefined {
  const lines = splitLines(text);
  if (text.length > colouredBytesMax || lines.length > linesMax) return undefined;
  if (lines.some((line) => line.length > lineMax)) return undefined;
  const { value } = hljs.highlight(shownLines(lines.join('\n')), { language, ignoreIllegals: true });
  if (value.length > htmlMax) return undefined;
  const highlighted = splitHighlighted(value, htmlMax);
  return highlighted?.length === lines.length ? highlighted : undefined;
}

/** Returns the lines of a text as HTML; without colours when the language is not known or the text is too large. */
export function highlightLines(text: string, language: string | undefined): string[] {
  return (language && text !== '' ? highlightAs(language, text) : undefined) ?? plainLines(text);
}

/** Returns the lines of a file as HTML, in the colours of the language that the file's name implies if it is small. */
export function highlightFile(text: string, fileName: string): string[] {
  if (Buffer.byteLength(text) > colouredBytesMax) return plainLines(text);
  return highlightLines(text, languageOf(fileName));
}
