import { printable } from './printable.ts';
import type { Terminal } from './command.ts';

/** Where progress is shown. */
export type Shown = Pick<Terminal, 'err' | 'columns'>;

/** How far some work is. */
export interface Progress {
  /** Counts what was done. */
  count(more?: number): void;
  /** Says how much is done by now. */
  reach(done: number): void;
  /** Writes a line that stays. */
  say(text: string): void;
  /** Removes the bar. */
  end(): void;
}

export interface ProgressOptions {
  /** How much is to be done; null where nobody knows. */
  readonly total: number | null;
  /** Says how much is done, in a sentence without its end. */
  readonly tell: (done: number) => string;
}

const showEveryMs = 100;
const tellEveryMs = 5_000;
const barChars = 30;
const clearLine = '\r\u001b[K';

function barOf(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * barChars);
  return `[${'#'.repeat(full)}${'.'.repeat(barChars - full)}] ${String(Math.floor(share * 100)).padStart(3)} % `;
}

/** Shows progress on the error output: by a bar on a terminal, and by a line every few seconds elsewhere. */
export function showProgress({ err, columns }: Shown, { total, tell }: ProgressOptions): Progress {
  const isTerminal = columns() !== null;
  let done = 0;
  let isDrawn = false;
  let showAt = performance.now() + (isTerminal ? 0 : tellEveryMs);
  const clear = () => {
    if (isDrawn) err(clearLine);
    isDrawn = false;
  };
  const show = () => {
    if (performance.now() < showAt) return;
    showAt = performance.now() + (isTerminal ? showEveryMs : tellEveryMs);
    const text = tell(done);
    if (!isTerminal) return err(`${text}\n`);
    const line = `${total === null ? '' : barOf(done, total)}${text}`;
    // A longer line would leave its beginning behind.
    err(`${clearLine}${line.slice(0, Math.max(0, (columns() ?? 0) - 1))}`);
    isDrawn = true;
  };
  const reach = (reached: number) => {
    done = reached;
    show();
  };
  if (isTerminal) show();
  return {
    count: (more = 1) => reach(done + more),
    reach,
    say(text) {
      clear();
      err(`${printable(text)}\n`);
    },
    end: clear,
  };
}

/** Runs `act` while it shows how many of some repositories are done. */
export async function whileRepositories<T>(
  shown: Shown,
  total: number,
  doneText: string,
  act: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = showProgress(shown, { total, tell: (done) => `${done} of ${total} repositories are ${doneText}` });
  try {
    return await act(progress);
  } finally {
    progress.end();
  }
}
