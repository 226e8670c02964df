import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

function libraryPath(tree, target) {
  const dirs = ['usr/lib', 'lib'].flatMap((lib) => {
    const path = join(tree, lib);
    const triplets = existsSync(path) ? readdirSync(path).filter((name) => name.includes('-linux-gnu')) : [];
    return triplets.map((triplet) => join(target, lib, triplet));
  });
  return dirs.length === 0 ? {} : { LD_LIBRARY_PATH: dirs.join(':') };
}

/** ca-certificates brings single certificates; programs want them in one file. */
function bundleCertificates(tree, target) {
  const dir = join(tree, 'usr/share/ca-certificates/mozilla');
  if (!existsSync(dir)) return {};
  const all = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8').trim());
  writeFileSync(join(tree, 'ca-bundle.crt'), `${all.join('\n')}\n`);
  const bundle = join(target, 'ca-bundle.crt');
  return { SSL_CERT_FILE: bundle, GIT_SSL_CAINFO: bundle };
}

function git(tree, target) {
  const variables = {
    GIT_EXEC_PATH: join(target, 'usr/lib/git-core'),
    GIT_TEMPLATE_DIR: join(target, 'usr/share/git-core/templates'),
    ...libraryPath(tree, target),
  };
  return { variables, words: [join(target, 'usr/bin/git')] };
}

function mercurial(tree, target) {
  const python = readdirSync(join(tree, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name));
  const own = python === undefined ? {} : { PYTHONHOME: join(target, 'usr'), ...libraryPath(tree, target) };
  return {
    variables: { PYTHONPATH: join(target, 'usr/lib/python3/dist-packages'), ...own },
    // Not `python3` of the PATH, which may be one that lacks the packages of the system.
    words: [python === undefined ? '/usr/bin/python3' : join(target, 'usr/bin', python), join(target, 'usr/bin/hg')],
  };
}

function quote(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Writes `commands/git` and `commands/hg` into an unpacked tree that will be called `target`: they run the programs
 * of the tree with the variables that make them find their own files.
 */
export function addCommands(tree, target) {
  const certificates = bundleCertificates(tree, target);
  mkdirSync(join(tree, 'commands'));
  for (const [name, describe] of Object.entries({ git, hg: mercurial })) {
    if (!existsSync(join(tree, 'usr/bin', name))) continue;
    const { variables, words } = describe(tree, target);
    const exports = Object.entries({ ...variables, ...certificates }).map(
      ([key, value]) => `export ${key}=${quote(value)}`,
    );
    const script = ['#!/bin/sh', ...exports, `exec ${words.map(quote).join(' ')} "$@"`, ''].join('\n');
    writeFileSync(join(tree, 'commands', name), script, { mode: 0o755 });
  }
}
