import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { collectionFlag } from '@trunkline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const runBundle = fileURLToPath(new URL('run-bundle.cjs', import.meta.url));

/** Program that runs the bundle, prints whether kept code was used, and ends once there is kept code. */
const program = (bundle: string) => `
  const used = require(${JSON.stringify(runBundle)}).runBundle(${JSON.stringify(bundle)}, ${JSON.stringify(collectionFlag)});
  console.log(used);
  const look = setInterval(() => {
    if (require('node:fs').existsSync(${JSON.stringify(`${bundle}.code`)})) clearInterval(look);
  }, 50);
`;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trunkline-bundle-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

it('a process that sets the flag of apps uses the code that another one has kept', async () => {
  const bundle = join(directory, 'app.cjs');
  await writeFile(bundle, `require('node:v8').setFlagsFromString(${JSON.stringify(collectionFlag)});\n`);
  const usedBy = async () => (await run(process.execPath, ['-e', program(bundle)])).stdout.trim();
  expect([await usedBy(), await usedBy()]).toEqual(['false', 'true']);
});
