/** Limits beyond which content is shown without colours: characters of a text, lines, and characters of a line. */
export const textMax = 512 * 1_024;
export const linesMax = 10_000;
export const lineMax = 5_000;
/** The limit of HTML, in characters: markup may grow to many times the size of its text. */
export const htmlMax = 4 * 1_024 * 1_024;
