import { changedParts, type MarkedRange } from '../../render/diff/changed-parts.ts';
import type { DiffHunk, DiffLine } from '../../render/diff/diff-file.ts';
import { shownLines, shownText } from '../../render/text/shown-text.ts';

const signs = { context: ' ', added: '+', removed: '-', noNewline: '\\ ' } as const;
const classes = {
  context: 'diff-context',
  added: 'diff-added',
  removed: 'diff-removed',
  noNewline: 'diff-note',
} as const;

function Text({ line: { text }, marked }: { line: DiffLine; marked: MarkedRange | undefined }) {
  if (!marked || marked.start === marked.end) return <>{shownLines(text)}</>;
  return (
    <>
      {shownLines(text.slice(0, marked.start))}
      <mark>{shownLines(text.slice(marked.start, marked.end))}</mark>
      {shownLines(text.slice(marked.end))}
    </>
  );
}

function Row({ line, marked }: { line: DiffLine; marked: MarkedRange | undefined }) {
  const { kind, oldLine, newLine, isCut } = line;
  return (
    <tr class={classes[kind]}>
      <td class="at">{oldLine}</td>
      <td class="at">{newLine}</td>
      <td class="line">
        {signs[kind]}
        <Text line={line} marked={marked} />
        {isCut && <span class="badge">cut off</span>}
      </td>
    </tr>
  );
}

/** Renders one hunk as rows of a table: both line numbers, and the line with its sign. */
export function HunkRows({ hunk: { header, lines } }: { hunk: DiffHunk }) {
  const marks = changedParts(lines);
  return (
    <tbody>
      <tr class="diff-hunk">
        <td class="at" colspan={2}></td>
        <td class="line">{shownText(header)}</td>
      </tr>
      {lines.map((line) => (
        <Row line={line} marked={marks.get(line)} />
      ))}
    </tbody>
  );
}
