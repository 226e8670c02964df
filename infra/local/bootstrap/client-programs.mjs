import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianPackages, suitePackages } from './debian-packages.mjs';
import { addGit, addPython } from './own-loader.mjs';
import { run } from './run.mjs';

const find = (dir, pattern) => {
  const name = existsSync(dir) ? readdirSync(dir).find((one) => pattern.test(one)) : undefined;
  return name === undefined ? undefined : join(dir, name);
};

/** Writes `commands/jgit`, which runs JGit with the Java of the tree, or else that of the machine. */
export function addJgit(tree, target) {
  const home = find(join(tree, 'usr/lib/jvm'), /^java-.*-openjdk-/);
  const java = home === undefined ? 'java' : join(home.replace(tree, target), 'bin/java');
  const jars = join(target, 'usr/share/java/*');
  mkdirSync(join(tree, 'commands'));
  const script = `#!/bin/sh\nexec '${java}' -cp '${jars}' org.eclipse.jgit.pgm.Main "$@"\n`;
  writeFileSync(join(tree, 'commands/jgit'), script, { mode: 0o755 });
}

/** Returns what builds `commands/go-client` from a source with the compiler and the packages of the tree. */
export function addGoClient(source) {
  return (tree) => {
    const compiler = find(join(tree, 'usr/lib'), /^go-1/) ?? '';
    mkdirSync(join(tree, 'commands'));
    execFileSync(join(compiler, 'bin/go'), ['build', '-o', join(tree, 'commands/go-client'), source], {
      env: {
        PATH: process.env.PATH,
        HOME: tree,
        GOROOT: compiler,
        GOPATH: join(tree, 'usr/share/gocode'),
        GOCACHE: join(tree, 'cache'),
        GO111MODULE: 'off',
        CGO_ENABLED: '0',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
}

const drivers = join(dirname(fileURLToPath(import.meta.url)), '../../../tests/wire/matrix/drivers');

const ofSuite = (suite, packages, finish) => (env, say) => suitePackages(suite, packages, finish, env, say);
const ofMachine = (packages, finish) => (env, say) => debianPackages(packages, finish, env, say);

const git = (suite) => ({
  kind: 'git',
  name: `git of ${suite}`,
  fetch: ofSuite(suite, ['git'], addGit),
  command: 'git',
});
const hg = (suite) => ({
  kind: 'hg',
  name: `hg of ${suite}`,
  fetch: ofSuite(suite, ['mercurial'], addPython),
  command: 'hg',
});
const python = (library, suite, shallow = false) => ({
  kind: 'driver',
  shallow,
  name: `${library} of ${suite}`,
  fetch: ofSuite(suite, [`python3-${library}`], addPython),
  command: 'python3',
  args: [join(drivers, `${library}_client.py`)],
});

const clients = [
  git('bullseye'),
  git('trixie'),
  hg('bullseye'),
  hg('trixie'),
  python('dulwich', 'bullseye', true),
  python('dulwich', 'trixie', true),
  python('pygit2', 'bookworm'),
  python('pygit2', 'trixie'),
  {
    kind: 'driver',
    name: 'jgit',
    fetch: ofMachine(['jgit-cli', 'libslf4j-java'], addJgit),
    command: 'jgit',
    words: (command) => ['sh', join(drivers, 'jgit.sh'), command],
  },
  {
    kind: 'driver',
    name: 'go-git',
    shallow: true,
    fetch: ofMachine(['golang-go', 'golang-github-go-git-go-git-dev'], addGoClient(join(drivers, 'go-client.go'))),
    command: 'go-client',
  },
];

async function findOne({ kind, name, shallow = false, fetch, command, args = [], words }, env, say) {
  const path = join(await fetch(env, say), 'commands', command);
  const { ok, output } = await run(path, [...args, '--version']);
  if (!ok) throw new Error(output.trim().split('\n').at(-1));
  const version = /\d+\.\d+[\w.]*/.exec(output)?.[0] ?? '';
  return {
    kind,
    shallow,
    name: version === '' ? name : `${name} (${version})`,
    words: words?.(path) ?? [path, ...args],
  };
}

/**
 * Fetches clients of other releases and other implementations, which only tests need; says which of them cannot be had,
 * and why. Returns the environment variable that lists the others.
 */
export async function findClientPrograms(env, say) {
  const found = [];
  for (const client of clients) {
    try {
      found.push(await findOne(client, env, say));
    } catch (error) {
      say(`Not tested: ${client.name}. ${error.message}`);
    }
  }
  return { TRUNKLINE_TEST_CLIENT_PROGRAMS: JSON.stringify(found) };
}
