/** The streams of the client's process. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Standard input, opened when it is read. */
  input(): AsyncIterable<Uint8Array>;
  /** Characters on a line of the terminal that shows stdout; undefined when stdout is no terminal. */
  readonly columns: number | undefined;
}
