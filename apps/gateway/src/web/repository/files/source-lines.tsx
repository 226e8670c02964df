import { shownLinesMax } from '../../render/highlight/number-lines.ts';
import type { RenderedSource } from '../../render/thread/create-renderers.ts';

/** Shows the numbered lines of a file. */
export function SourceLines({ html, lineCount }: RenderedSource) {
  return (
    <>
      <pre class="code source" dangerouslySetInnerHTML={{ __html: html }} />
      {lineCount > shownLinesMax && (
        <p class="body soft">
          Only the first {shownLinesMax} of {lineCount} lines are shown.
        </p>
      )}
    </>
  );
}
