/** Why the bootstrap cannot go on, as one line for whoever started it. */
export class SetupError extends Error {}
