import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';

interface Queue {
  readonly length: number;
  push(x: number): void;
  shift(): number | undefined;
  remove(x: number): number | null;
}

async function newQueue(): Promise<Queue> {
  // The package exports its entry alone, whose folder for `require` is beside that for `import`.
  const entry = createRequire(import.meta.url).resolve('postgres');
  const url = pathToFileURL(join(dirname(entry), '..', '..', 'src', 'queue.js'));
  const { default: createQueue } = (await import(url.href)) as { default: () => Queue };
  return createQueue();
}

it('gives in order what was put in, however many were taken before, and searches only what it holds', async () => {
  const queue = await newQueue();
  queue.push(0);
  for (let next = 1; next <= 1_000; next += 1) {
    queue.push(next);
    expect(queue.shift()).toBe(next - 1);
    expect(queue.length).toBe(1);
  }
  queue.push(2_000);
  const search = vi.spyOn(Array.prototype, 'indexOf');
  expect(queue.remove(1_000)).toBe(1_000);
  const searched = search.mock.contexts.map((list) => (list as readonly unknown[]).length);
  search.mockRestore();
  expect(Math.max(...searched)).toBeLessThanOrEqual(64);
  expect(queue.remove(1_000)).toBeNull();
  expect(queue.shift()).toBe(2_000);
  expect(queue.length).toBe(0);
});
