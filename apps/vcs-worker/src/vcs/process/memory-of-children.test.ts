import { afterEach, expect, it } from 'vitest';
import { memoryBudget } from './memory-budget.ts';
import { runCommand } from './run-command.ts';
import { streamCommand } from './stream-command.ts';

const mebibyte = 1024 * 1024;
const limits = { env: { PATH: process.env['PATH'] }, timeoutMs: 120_000, stdoutBytesMax: 1_000 };
/** Returns a command that allocates so many MiB, prints a line and stays. */
const allocating = (size: number) => [
  process.execPath,
  '-e',
  `const kept = Buffer.alloc(${size} << 20, 1); console.log(kept.length); setInterval(() => {}, 1e6)`,
];
const large = allocating(200);

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

it('D12 with a budget for one child the second waits or is refused, and is killed far above the budget', async () => {
  const first = streamCommand(large, limits)[Symbol.asyncIterator]();
  await first.next();
  memoryBudget.check();
  const used = memoryBudget.usedBytes;
  expect(used).toBeGreaterThan(200 * mebibyte);

  memoryBudget.setLimit(used - 16 * mebibyte);
  const refused = runCommand(['true'], { ...limits, memoryWaitMs: 0 });
  const waiting = runCommand(['echo', 'second'], { ...limits, memoryWaitMs: 60_000 });
  await expect(refused).rejects.toMatchObject({ kind: 'busy' });

  // With a child of 400 MiB the sum is far above a quarter more than this budget, which has 64 MiB to spare.
  memoryBudget.setLimit(used + 64 * mebibyte);
  memoryBudget.check();
  expect((await waiting).stdout.toString()).toBe('second\n');
  await expect(runCommand(allocating(400), limits)).rejects.toMatchObject({ kind: 'busy' });
  await first.return?.();
});
