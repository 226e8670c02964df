import { WithCode } from '../api-docs/with-code.tsx';
import { pageText } from '../render/text/page-text.ts';
import { shownLines } from '../render/text/shown-text.ts';

/** Renders a text of the API in the words of the pages, with names as code instead of in backticks. */
export function ApiText({ text }: { text: string }) {
  return <WithCode text={shownLines(pageText(text))} />;
}
