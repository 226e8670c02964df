/**
 * Splits the output of highlight.js into lines; spans that are open at the end of a line are closed and opened again.
 * Returns undefined when these spans together exceed the limit of characters.
 */
export function splitHighlighted(html: string, charactersMax: number): string[] | undefined {
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
