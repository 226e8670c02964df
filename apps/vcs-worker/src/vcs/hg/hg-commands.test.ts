import { expect, it } from 'vitest';
import { VcsError } from '../vcs-error.ts';
import { createHgCommands } from './hg-commands.ts';
import { NoServerError, type ServerPool } from './server-pool.ts';

it('C10 a repository that has let a command run out of its time takes no server from others', async () => {
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
  const hg = createHgCommands({ kept: poolOf('kept'), suspect: poolOf('suspect') }, 1_000);
  await expect(hg.read('/stuck', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.read('/stuck', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.read('/waiting', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await expect(hg.read('/waiting', ['log'])).rejects.toMatchObject({ kind: 'timeout' });
  await hg.read('/well', ['log']);
  expect(ran).toEqual(['/stuck kept', '/stuck suspect', '/waiting kept', '/waiting kept', '/well kept']);
});
