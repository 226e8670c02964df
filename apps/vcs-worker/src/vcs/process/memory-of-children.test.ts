import { afterEach, expect, it } from 'vitest';
import { memoryBudget } from './memory-budget.ts';
import { runCommand } from './run-command.ts';
import { streamCommand } from './stream-command.ts';

const mebibyte = 1024 * 1024;
const limits = { env: { PATH: process.env['PATH'] }, timeoutMs: 120_000, stdoutBytesMax: 1_000 };
/** Allocates 200 MiB, prints a line and stays. */
const allocate = `const kept = Buffer.alloc(200 << 20, 1); console.log(kept.length); setInterval(() => {}, 1e6)`;
const large = [process.execPath, '-e', allocate];

afterEach(() => memoryBudget.setLimit(Infinity));

it('D12 kills the largest child of a process above the budget, and starts others again', async () => {
  memoryBudget.setLimit(100 * mebibyte);
  await expect(runCommand(large, limits)).rejects.toMatchObject({ kind: 'busy' });
  expect((await runCommand(['echo', 'next'], limits)).stdout.toString()).toBe('next\n');
});

it('D12 starts no child of a read above the budget', async () => {
  const pieces = streamCommand(large, limits)[Symbol.asyncIterator]();
  await pieces.next();
  memoryBudget.check();
  memoryBudget.setLimit(190 * mebibyte);
  await expect(runCommand(['true'], { ...limits, memoryWaitMs: 0 })).rejects.toMatchObject({ kind: 'busy' });
  await expect(pieces.next()).rejects.toMatchObject({ kind: 'busy' });
  expect((await runCommand(['echo', 'next'], limits)).stdout.toString()).toBe('next\n');
});
