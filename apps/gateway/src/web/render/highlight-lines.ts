import hljs from 'highlight.js';
import { shownLines, splitLines } from './shown-text.ts';
import { plainLines } from './plain-text.ts';
import { colouredBytesMax, htmlMax, lineMax, linesMax } from './render-task.ts';

const languagesByName = new Map([
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['cmakelists.txt', 'cmake'],
  ['jenkinsfile', 'groovy'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
  ['vagrantfile', 'ruby'],
  ['podfile', 'ruby'],
  ['sconstruct', 'python'],
  ['build.bazel', 'python'],
  ['go.mod', 'go'],
  ['.bashrc', 'bash'],
  ['.bash_profile', 'bash'],
  ['.profile', 'bash'],
  ['.zshrc', 'bash'],
  ['.hgrc', 'ini'],
  ['hgrc', 'ini'],
  ['.gitconfig', 'ini'],
  ['.gitmodules', 'ini'],
  ['.editorconfig', 'ini'],
]);

/** Languages by file extension, for extensions that highlight.js does not know or maps to a rare language. */
const languagesByEnding = new Map([
  ['vue', 'xml'],
  ['svelte', 'xml'],
  ['m', 'objectivec'],
  ['bzl', 'python'],
  ['pyi', 'python'],
  ['cfg', 'ini'],
  ['jsonc', 'json'],
  ['tf', 'hcl'],
  ['patch', 'diff'],
]);

/** Returns the language of a file by its name alone: guessing from content would run every grammar over it. */
export function languageOf(fileName: string): string | undefined {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1).toLowerCase();
  const byName = languagesByName.get(name);
  if (byName) return byName;
  const dot = name.lastIndexOf('.');
  return dot === -1 ? undefined : languageNamed(name.slice(dot + 1));
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

/** Returns the lines of a file as HTML, in the colours of the language that the file's name implies if it is small. */
export function highlightFile(text: string, fileName: string): string[] {
  if (Buffer.byteLength(text) > colouredBytesMax) return plainLines(text);
  return highlightLines(text, languageOf(fileName));
}
