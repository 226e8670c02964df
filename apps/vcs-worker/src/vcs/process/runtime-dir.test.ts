import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeRuntimeDir } from './runtime-dir.ts';

it('makes a private directory, and removes those of dead workers only', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'trunkline-runtime-'));
  try {
    // 99999999 is beyond the kernel's largest pid, so that no process has it.
    for (const name of ['trunkline-worker-99999999-abc', 'trunkline-worker-1-abc', 'other-99999999']) {
      await mkdir(join(parent, name), { mode: 0o700 });
    }
    await mkdir(join(parent, 'trunkline-worker-99999999-open'));
    await chmod(join(parent, 'trunkline-worker-99999999-open'), 0o777);
    await symlink(join(parent, 'other-99999999'), join(parent, 'trunkline-worker-99999999-link'));
    const made = await makeRuntimeDir(parent);
    expect((await stat(made)).mode & 0o777).toBe(0o700);
    expect((await readdir(parent)).toSorted()).toEqual(
      [
        'other-99999999',
        'trunkline-worker-1-abc',
        'trunkline-worker-99999999-link',
        'trunkline-worker-99999999-open',
        basename(made),
      ].toSorted(),
    );
  } finally {
    await rm(parent, { recursive: true });
  }
});
