import { expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import { createHgCommands } from './hg-commands.ts';
import { NoServerError, type ServerPool } from './server-pool.ts';

it('C10 a repository whose command has timed out occupies no server of the others', async () => {
  const ran: string[] = [];
  const poolOf = (name: string): ServerPool => ({
    async run([repository = '']) {
      ran.push(`${repository.replace('--repository=', '')} ${name}`);
      if (repository.endsWith('/waiting')) throw new NoServerError();
      if (repository.endsWith('/stuck')) throw new VcsError('timeout', 'no end');
      return { exitCode: 0, stdout: Buffer.alloc(0), stderr: '' };
    },
    close() {},
  });
  const hg = createHgCommands({ regular: poolOf('regular'), suspect: poolOf('suspect') }, 1_000);
  await expect(hg.run('/stuck', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.run('/stuck', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.run('/waiting', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.run('/waiting', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await hg.run('/well', ['log']);
  await expect(hg.run('/long/stuck', ['log'], { mayBeLong: true })).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.run('/long/stuck', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.run('/long/stuck', ['log'], { mayBeLong: true })).rejects.toMatchObject({ kind: 'timeout' });
  // One that may be long says nothing of the others.
  expect(ran.splice(-3)).toEqual(['/long/stuck regular', '/long/stuck regular', '/long/stuck suspect']);
  expect(ran).toEqual(['/stuck regular', '/stuck suspect', '/waiting regular', '/waiting regular', '/well regular']);
});
