/** The limit of shown lines, since each line becomes elements of the page. */
export const shownLinesMax = 20_000;

/** Returns lines, which are safe HTML, each with a linked number; `before` is the number of lines before them. */
export function numberLines(lines: readonly string[], before = 0): string {
  return lines
    .slice(0, shownLinesMax - before)
    .map((html, index) => {
      const number = before + index + 1;
      return `<span class="line" id="L${number}"><a href="#L${number}">${number}</a>${html}\n</span>`;
    })
    .join('');
}
