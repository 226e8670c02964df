const LENGTH = /^[0-9a-f]{4}$/iu;
// More lines of refs than fit into the largest answer; limits the work on a flood of empty pkt-lines.
const LINES_MAX = 1_000_000;

/**
 * Returns whether an answer consists of whole pkt-lines and ends with a flush; isomorphic-git reads a truncated answer
 * as a complete one.
 */
export function isWholeAnswer(answer: Buffer): boolean {
  let at = 0;
  let flushed = false;
  for (let lines = 0; at < answer.length && lines < LINES_MAX; lines += 1) {
    const digits = answer.toString('latin1', at, at + 4);
    const length = Number.parseInt(digits, 16);
    if (!LENGTH.test(digits) || length === 2 || length === 3) return false;
    flushed = length === 0;
    at += Math.max(length, 4);
  }
  return flushed && at === answer.length;
}
