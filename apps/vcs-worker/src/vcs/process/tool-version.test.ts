import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolVersion } from './tool-version.ts';

const options = { env: {}, timeoutMs: 10_000 };
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-tool-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('toolVersion', () => {
  it.each([
    ['git version 2.39.5', '2.39.5'],
    ['git version 2.39.5 (Apple Git-154)', '2.39.5'],
    ['6.3.2', '6.3.2'],
    ['Mercurial Distributed SCM (version 6.9rc0+20-abc)', '6.9rc0+20-abc'],
  ])('finds the version in the output "%s"', async (said, version) => {
    const ask = toolVersion([process.execPath, '-e', `console.log(${JSON.stringify(said)})`], options);
    expect(await ask()).toBe(version);
  });

  it('asks again after a failure, and caches a version that was found', async () => {
    const file = join(directory, 'version');
    const ask = toolVersion([process.execPath, '-p', `fs.readFileSync(${JSON.stringify(file)}, 'utf8')`], options);
    await expect(ask()).rejects.toMatchObject({ kind: 'failed' });
    await writeFile(file, '1.2');
    expect(await ask()).toBe('1.2');
    await writeFile(file, '3.4');
    expect(await ask()).toBe('1.2');
  });

  it('fails when the tool prints nothing or does not exist', async () => {
    await expect(toolVersion([process.execPath, '-e', ''], options)()).rejects.toMatchObject({ kind: 'failed' });
    await expect(toolVersion([join(directory, 'absent')], options)()).rejects.toMatchObject({ kind: 'failed' });
  });
});
