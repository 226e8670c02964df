/** What a worker asks of its spawner. */
export type SpawnerRequest = StartRequest | { readonly kill: string };

export interface StartRequest {
  /** Random name of the command, of `idLength` characters. */
  readonly start: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What a spawner tells of a command: that it has started, has not started (with the system's code), or has ended. */
export type SpawnerReport =
  | { readonly id: string; readonly pid: number }
  | { readonly id: string; readonly failed: string }
  | { readonly id: string; readonly exitCode: number | null; readonly signalCode: string | null };

export const idLength = 32;
/** A connection begins with the id of its command and one digit: 0 for stdin, 1 for stdout and 2 for stderr. */
export const headerLength = idLength + 1;
export const streamNumbers = [0, 1, 2] as const;
