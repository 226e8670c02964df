import { expect, it } from 'vitest';
import { CatFile } from './cat-file.ts';

it('a process that somebody else kills before it reads a request fails as killed, however its end shows first', async () => {
  const killed = ['sh', '-c', 'exec 0<&-; kill -KILL $$'];
  for (let round = 0; round < 5; round += 1) {
    const catFile = new CatFile(killed, '--batch', { PATH: process.env['PATH'] }, 10_000);
    // More than fits into the pipe, so that writing fails.
    const requests = Array.from({ length: 100 }, () => catFile.ask('x'.repeat(10_000)));
    const outcomes = await Promise.allSettled(requests);
    expect(new Set(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.kind))).toEqual(
      new Set(['busy']),
    );
  }
});
