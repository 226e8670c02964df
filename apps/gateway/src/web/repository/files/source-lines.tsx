/** The limit of shown lines, since each line becomes elements of the page. */
const linesMax = 20_000;

function numbered(html: string, index: number): string {
  const id = `L${index + 1}`;
  return `<span class="line" id="${id}"><a href="#${id}">${index + 1}</a>${html}\n</span>`;
}

/** Renders the lines of a file, which are safe HTML, each with a linked number. */
export function SourceLines({ lines }: { lines: readonly string[] }) {
  const html = lines.slice(0, linesMax).map(numbered).join('');
  return (
    <>
      <pre class="code source" dangerouslySetInnerHTML={{ __html: html }} />
      {lines.length > linesMax && (
        <p class="body soft">
          Only the first {linesMax} of {lines.length} lines are shown.
        </p>
      )}
    </>
  );
}
