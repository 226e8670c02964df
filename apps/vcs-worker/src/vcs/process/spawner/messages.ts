/** What a worker asks of its spawner; `ping` is answered by `alive`. */
export type SpawnerRequest = StartRequest | { readonly kill: string } | { readonly ping: true };

export interface StartRequest {
  /** Random name of the command, of `idLength` characters. */
  readonly start: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What a spawner tells of a command: that it has started, has not started (with the system's code), or has ended. */
export type CommandReport =
  | { readonly id: string; readonly pid: number }
  /** Of the connections to the worker when `isUnreachable`, otherwise of the program. */
  | { readonly id: string; readonly failed: string; readonly isUnreachable: boolean }
  | { readonly id: string; readonly exitCode: number | null; readonly signalCode: string | null };

/** What a spawner tells its worker; `alive` comes first of all. */
export type SpawnerReport = CommandReport | { readonly alive: true };

export const idLength = 32;
/** A connection begins with the id of its command and one digit: 0 for stdin, 1 for stdout and 2 for stderr. */
export const headerLength = idLength + 1;
export const streamNumbers = [0, 1, 2] as const;
