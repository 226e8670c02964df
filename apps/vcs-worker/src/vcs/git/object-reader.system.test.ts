import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createGitCommands } from './git-commands.ts';
import { createObjectReader, type KeptObjectReader, type ObjectReader } from './object-reader.ts';
import { scopeOfOperation } from '../process/call-scope.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { fastImport } from '../testing/feed-git.ts';
import { commandLines } from '../testing/processes.ts';
import { git, gitCommand } from '../testing/tools.ts';
import { openWorkbench, type Workbench } from '../testing/workbench.ts';

const env = childEnvironment();
const limits = { memoryBytes: 1e9 };
const readers: KeptObjectReader[] = [];
let bench: Workbench;
let path = '';

function reader(
  command: readonly string[],
  timeoutMs = 10_000,
): ObjectReader & Pick<KeptObjectReader, 'close' | 'forCall'> {
  const made = createObjectReader(
    createGitCommands({ gitCommand: command, env, timeoutMs, stdoutBytesMax: 1e6, limits, scope: scopeOfOperation }),
    { env, timeoutMs, limits },
  );
  readers.push(made);
  return { ...made, ...made.forCall(scopeOfOperation) };
}

async function makeRepository(commits: number): Promise<string> {
  const made = bench.freshPath();
  await bench.backends.git.init(made, 'uuid');
  const one = (index: number) =>
    `commit refs/heads/b${index}\ncommitter A <a@b> 1 +0000\ndata 2000\n${'x'.repeat(2_000)}\n`;
  await fastImport(made, Array.from({ length: commits }, (_, index) => one(index)).join(''));
  return made;
}

async function processesOn(repository: string): Promise<number[]> {
  return [...(await commandLines())].flatMap(([id, line]) => (line.includes(`--git-dir=${repository}\0`) ? [id] : []));
}

beforeAll(async () => {
  bench = await openWorkbench();
  path = await makeRepository(100);
});
afterAll(async () => {
  for (const each of readers) each.close();
  await bench.close();
});

it('answers concurrent requests in their order, with null for missing objects', async () => {
  const asked = Array.from({ length: 200 }, (_, index) => `refs/heads/b${index}^{commit}`);
  const one = reader(gitCommand);
  const found = await Promise.all(asked.map((expression) => one.read(path, expression)));
  expect(found.filter((object) => object?.type === 'commit')).toHaveLength(100);
  expect(found.slice(100)).toEqual(Array.from({ length: 100 }, () => null));
});

it('finds a ref created after the first request, in the same process', async () => {
  const one = reader(gitCommand);
  expect(await one.read(path, 'refs/heads/new^{commit}')).toBeNull();
  const before = await processesOn(path);
  await git(path, 'update-ref', 'refs/heads/new', 'b1');
  expect((await one.read(path, 'refs/heads/new^{commit}'))?.content.toString()).toContain('committer A');
  expect(await processesOn(path)).toEqual(before);
});

it('D11 starts another process when the kept one was killed', async () => {
  const one = reader(gitCommand);
  const own = await makeRepository(1);
  for (let time = 0; time < 3; time += 1) {
    expect((await one.read(own, 'refs/heads/b0^{commit}'))?.type).toBe('commit');
    for (const id of await processesOn(own)) process.kill(id, 'SIGKILL');
  }
});

it('keeps at most 16 processes, and still answers the requests of those that it ends', async () => {
  const one = reader(gitCommand);
  const repositories = await Promise.all(Array.from({ length: 20 }, () => makeRepository(1)));
  const found = await Promise.all(repositories.map((repository) => one.read(repository, 'refs/heads/b0^{commit}')));
  expect(found.every((object) => object?.type === 'commit')).toBe(true);
  const running = async () => (await Promise.all(repositories.map(processesOn))).flat().length;
  await vi.waitFor(async () => expect(await running()).toBe(16), { timeout: 20_000 });
  one.close();
  await vi.waitFor(async () => expect(await running()).toBe(0), { timeout: 20_000 });
});

it('rejects when the command does not exist, ends or never answers', async () => {
  await expect(reader(['/nonexistent/git']).read(path, 'x')).rejects.toMatchObject({ kind: 'failed' });
  await expect(reader(['false']).read(path, 'x')).rejects.toMatchObject({ kind: 'failed' });
  await expect(reader(['sh', '-c', 'exec sleep 60'], 200).read(path, 'x')).rejects.toMatchObject({ kind: 'timeout' });
});

it('D12 ends a process when the calls of all its requests have gone, and no sooner', async () => {
  const own = await makeRepository(1);
  const one = reader(['sh', '-c', 'exec sleep 600']);
  const [first, second] = [new AbortController(), new AbortController()];
  const ask = ({ signal }: AbortController) => one.forCall({ signal, memoryWaitMs: 0 }).read(own, 'x');
  const answers = [ask(first), ask(second)].map((answer) => answer.catch(({ kind }: { kind: string }) => kind));
  const running = async () => [...(await commandLines()).values()].filter((line) => line === 'sleep\x00600\0').length;
  await vi.waitFor(async () => expect(await running()).toBeGreaterThan(0), { timeout: 20_000 });
  first.abort();
  expect(await answers[0]).toBe('cancelled');
  const alone = await Promise.race([answers[1], new Promise((resolve) => setImmediate(() => resolve('waits')))]);
  expect(alone).toBe('waits');
  second.abort();
  expect(await answers[1]).toBe('cancelled');
});

it('refuses an object of more than 16 MiB', async () => {
  const own = await makeRepository(0);
  const message = 'x'.repeat(17_000_000);
  await fastImport(own, `commit refs/heads/big\ncommitter A <a@b> 1 +0000\ndata ${message.length}\n${message}\n`);
  await expect(reader(gitCommand).read(own, 'refs/heads/big^{commit}')).rejects.toMatchObject({ kind: 'too-large' });
});
