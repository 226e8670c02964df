import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const quote = (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Returns the words that start a program of an unpacked tree with the dynamic loader and the libraries of that tree. */
function loaderWords(tree, target) {
  const dirs = ['usr/lib', 'lib'].flatMap((lib) => {
    const path = join(tree, lib);
    const names = existsSync(path) ? readdirSync(path).filter((name) => name.includes('-linux-gnu')) : [];
    return names.map((name) => join(lib, name));
  });
  const loaders = dirs.flatMap((dir) =>
    readdirSync(join(tree, dir))
      .filter((name) => /^ld-linux.*\.so/.test(name))
      .map((name) => join(dir, name)),
  );
  const [loader] = loaders;
  if (loader === undefined) throw new Error('the packages lack a dynamic loader');
  return [join(target, loader), '--library-path', dirs.map((dir) => join(target, dir)).join(':')];
}

function writeScript(path, variables, words) {
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quote(value)}`);
  writeFileSync(path, ['#!/bin/sh', ...exports, `exec ${words.map(quote).join(' ')} "$@"`, ''].join('\n'), {
    mode: 0o755,
  });
}

/** Writes `commands/git`, whose own commands are started with the loader of the tree, too. */
export function addGit(tree, target) {
  const [loader, core] = [loaderWords(tree, target), 'commands/git-core'];
  mkdirSync(join(tree, core), { recursive: true });
  const variables = {
    GIT_EXEC_PATH: join(target, core),
    GIT_TEMPLATE_DIR: join(target, 'usr/share/git-core/templates'),
  };
  const programs = { git: 'usr/bin/git', 'git-remote-http': 'usr/lib/git-core/git-remote-http' };
  for (const [name, path] of Object.entries(programs)) {
    writeScript(join(tree, core, name), variables, [...loader, join(target, path)]);
  }
  writeScript(join(tree, 'commands/git'), variables, [...loader, join(target, programs.git)]);
}

/** Writes `commands/python3`, and `commands/hg` where the tree has Mercurial. */
export function addPython(tree, target) {
  const loader = loaderWords(tree, target);
  const python = readdirSync(join(tree, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name)) ?? '';
  mkdirSync(join(tree, 'commands'), { recursive: true });
  const variables = {
    PYTHONHOME: join(target, 'usr'),
    PYTHONPATH: join(target, 'usr/lib/python3/dist-packages'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const words = [...loader, join(target, 'usr/bin', python)];
  writeScript(join(tree, 'commands/python3'), variables, words);
  const hg = 'usr/bin/hg';
  if (existsSync(join(tree, hg))) writeScript(join(tree, 'commands/hg'), variables, [...words, join(target, hg)]);
}
