import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseRemote } from '../remote/parse-remote.ts';
import { endlessPack, hostileGit } from '../testing/hostile-git.ts';
import { endlessChangeset, hostileHg } from '../testing/hostile-hg.ts';
import { serve } from '../testing/serve.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

// Both send some bytes each 20 ms, without end.
const answers = {
  git: hostileGit(['HEAD', 'refs/heads/main'], endlessPack),
  hg: hostileHg(endlessChangeset),
};

it.each(['git', 'hg'] as const)('E6 an import from a %s remote that drips is given up', async (type) => {
  const { url } = bench.closeLater(await serve(answers[type]));
  const rateLimit = { bytesPerSecondMin: 100_000, windowMs: 500 };
  const backend = (await bench.open({ rateLimit, fetchTimeoutMs: 3_600_000 }))[type];
  const remote = parseRemote(type, url, { sshEnabled: false });
  const imported = backend.importFrom(bench.freshPath(), 'a', remote, new AbortController().signal);
  await expect(imported).rejects.toMatchObject({ failure: 'timed out' });
});
