import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { killGroup } from './process-group.ts';
import { groupMemory } from './process-usage.ts';

const mebibyte = 1024 * 1024;

it('measures the anonymous memory of a process and of what it has started', async () => {
  const allocate = 'const kept = Buffer.alloc(80 << 20, 1); console.log(kept.length); setInterval(() => {}, 1e6)';
  // The shell waits for its child, so that the child's memory is not the leader's own.
  const script = `"${process.execPath}" -e '${allocate}'; true`;
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await vi.waitFor(() => expect(groupMemory(child.pid ?? 0)).toBeGreaterThan(80 * mebibyte), { timeout: 20_000 });
  expect(groupMemory(child.pid ?? 0)).toBeLessThan(400 * mebibyte);
  killGroup(child);
  await once(child, 'close');
  expect(groupMemory(child.pid ?? 0)).toBe(0);
});
