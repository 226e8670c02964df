import type { Terminal } from '../terminal.ts';

const tellEveryMs = 5_000;

/** Returns a function that counts repositories, and says every few seconds how many there were. */
export function progressOf(terminal: Pick<Terminal, 'err'>, total: number, done: string): () => void {
  let count = 0;
  let tellAt = performance.now() + tellEveryMs;
  return () => {
    count += 1;
    if (performance.now() < tellAt) return;
    terminal.err(`${count} of ${total} repositories are ${done}\n`);
    tellAt = performance.now() + tellEveryMs;
  };
}
