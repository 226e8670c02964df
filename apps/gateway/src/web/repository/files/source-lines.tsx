/** Each line becomes elements of the page, and a file may hold a million lines. */
const linesMax = 20_000;

function numbered(html: string, index: number): string {
  const id = `L${index + 1}`;
  return `<span class="line" id="${id}"><a href="#${id}">${index + 1}</a>${html}\n</span>`;
}

/** The lines of a file, each with a number that leads to it. The lines are safe HTML. */
export function SourceLines({ lines }: { lines: readonly string[] }) {
  const html = lines.slice(0, linesMax).map(numbered).join('');
  return (
    <>
      <pre class="code source" dangerouslySetInnerHTML={{ __html: html }} />
      {lines.length > linesMax && (
        <p class="body soft">
          These are the first {linesMax} of {lines.length} lines.
        </p>
      )}
    </>
  );
}
