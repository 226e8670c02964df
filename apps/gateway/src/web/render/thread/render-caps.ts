/** Limits in characters, beyond which content is shown without colours. */
export const textMax = 512 * 1_024;
export const linesMax = 10_000;
export const lineMax = 5_000;
/** Markup may outgrow its text many times over. */
export const htmlMax = 4 * 1_024 * 1_024;
