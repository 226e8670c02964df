import hljs from 'highlight.js';
import { languageOfScript, languagesByEnding, languagesByName } from './language-names.ts';
import { hcl, zig } from './own-grammars.ts';
import { shownLines, splitLines } from './shown-text.ts';
import { plainLines } from './plain-text.ts';
import { colouredBytesMax, htmlMax, lineMax, linesMax, type ColouredParts, type FileParts } from './render-task.ts';

hljs.registerLanguage('hcl', hcl);
hljs.registerLanguage('zig', zig);

/** Endings that say of a file only that another one is made of it, or was: `config.yml.dist`. */
const templateEnding = /\.(?:in|dist|example|sample|tmpl|template|orig|bak)$/;

function languageOfName(fileName: string): string | undefined {
  const name = fileName.toLowerCase();
  const [beforeDot = '', ...endings] = name.split('.');
  return (
    languagesByName.get(fileName) ??
    languagesByName.get(name) ??
    languageNamed(endings.slice(-2).join('.')) ??
    languageNamed(endings.at(-1) ?? '') ??
    // Such as `Dockerfile.test` and `Makefile.am`.
    (beforeDot.endsWith('file') ? languagesByName.get(beforeDot) : undefined)
  );
}

/** Returns the language of a file by its name, else by the first line of a script: guessing would run every grammar. */
export function languageOf(fileName: string, text = ''): string | undefined {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1);
  return languageOfName(name) ?? languageOfName(name.replace(templateEnding, '')) ?? languageOfScript(text);
}

/**
 * Returns the language of a file extension, or of the name that a code block of Markdown gives; undefined when
 * highlight.js does not know the language.
 */
export function languageNamed(name: string): string | undefined {
  const language = languagesByEnding.get(name.toLowerCase()) ?? name;
  return hljs.getLanguage(language) ? language : undefined;
}

/**
 * Splits the output of highlight.js into lines; spans that are open at the end of a line are closed and opened again.
 * Returns undefined when these spans together exceed the limit of characters.
 */
function splitHighlighted(html: string, charactersMax: number): string[] | undefined {
  const lines: string[] = [];
  const open: string[] = [];
  let line = '';
  let length = 0;
  let done = 0;
  for (const { 0: found, index } of html.matchAll(/<span[^<>]*>|<\/span>|\n/g)) {
    line += html.slice(done, index);
    done = index + found.length;
    if (found === '\n') {
      lines.push(line + '</span>'.repeat(open.length));
      line = open.join('');
      // Deep nesting over many lines multiplies the spans.
      length += line.length * 2;
      if (length > charactersMax) return undefined;
    } else {
      line += found;
      if (found === '</span>') open.pop();
      else open.push(found);
    }
  }
  lines.push(line + html.slice(done));
  return lines;
}

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

/** The lines of a file as HTML, and the language that has coloured them. */
interface HighlightedFile {
  readonly lines: readonly string[];
  /** The language's name for people, such as `C++`; empty where none is known. */
  readonly language: string;
}

/** Returns the lines of a file in the colours of its language, which a file that is not small has none of. */
export function highlightFile(text: string, fileName: string): HighlightedFile {
  const known = languageOf(fileName, text);
  const language = (known && hljs.getLanguage(known)?.name) ?? '';
  const isSmall = Buffer.byteLength(text) <= colouredBytesMax;
  return { lines: isSmall ? highlightLines(text, known) : plainLines(text), language };
}

/** Time after which no further part is coloured: less than a task has, so that what is done is not lost. */
const partsMsMax = 1_000;

/** Returns the lines of parts of files as HTML, each part by itself, until time or characters are used up. */
export function highlightParts(parts: FileParts): ColouredParts {
  const until = performance.now() + partsMsMax;
  let left = htmlMax;
  return parts.map(([fileName, text]) => {
    const language = languageOf(fileName);
    if (language === undefined || text === '' || left <= 0 || performance.now() > until) return null;
    const lines = highlightAs(language, text) ?? null;
    left -= lines?.reduce((sum, line) => sum + line.length, 0) ?? 0;
    return left < 0 ? null : lines;
  });
}
