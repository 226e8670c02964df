import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
