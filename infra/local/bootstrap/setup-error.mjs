/** Failure of the bootstrap, with a message of one line for the user who started it. */
export class SetupError extends Error {}
