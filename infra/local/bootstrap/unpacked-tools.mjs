import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const families = { 'sans-serif': 'DejaVu Sans', serif: 'DejaVu Serif', monospace: 'DejaVu Sans Mono' };

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Writes `fonts.conf` into an unpacked tree, by which fontconfig uses the tree's fonts only, so that pages look alike
 * on every machine; returns the path of the file once the tree is renamed to `target`.
 */
export function writeFontsConfig(tree, target) {
  const aliases = Object.entries(families).map(
    ([family, font]) =>
      `  <alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`,
  );
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    `  <dir>${escape(join(target, 'usr/share/fonts'))}</dir>`,
    `  <cachedir>${escape(join(target, 'fonts-cache'))}</cachedir>`,
    ...aliases,
    '</fontconfig>',
    '',
  ];
  writeFileSync(join(tree, 'fonts.conf'), lines.join('\n'));
  return join(target, 'fonts.conf');
}

/** Returns LD_LIBRARY_PATH for the libraries in `tree`, with their paths after the tree is renamed to `target`. */
function libraryPath(tree, target) {
  const dirs = ['usr/lib', 'lib'].flatMap((lib) => {
    const path = join(tree, lib);
    const triplets = existsSync(path) ? readdirSync(path).filter((name) => name.includes('-linux-gnu')) : [];
    return triplets.map((triplet) => join(target, lib, triplet));
  });
  return dirs.length === 0 ? {} : { LD_LIBRARY_PATH: dirs.join(':') };
}

/** Joins the certificates of the package ca-certificates, one file each, to the one file that programs read. */
function bundleCertificates(tree, target) {
  const dir = join(tree, 'usr/share/ca-certificates/mozilla');
  if (!existsSync(dir)) return {};
  const all = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8').trim());
  writeFileSync(join(tree, 'ca-bundle.crt'), `${all.join('\n')}\n`);
  const bundle = join(target, 'ca-bundle.crt');
  return { SSL_CERT_FILE: bundle, GIT_SSL_CAINFO: bundle };
}

function plain(tree, target, path) {
  return { variables: libraryPath(tree, target), words: [join(target, path)] };
}

function git(tree, target, path) {
  const variables = {
    GIT_EXEC_PATH: join(target, 'usr/lib/git-core'),
    GIT_TEMPLATE_DIR: join(target, 'usr/share/git-core/templates'),
    ...libraryPath(tree, target),
  };
  return { variables, words: [join(target, path)] };
}

function mercurial(tree, target, path) {
  const python = readdirSync(join(tree, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name));
  const own = python === undefined ? {} : { PYTHONHOME: join(target, 'usr'), ...libraryPath(tree, target) };
  return {
    variables: { PYTHONPATH: join(target, 'usr/lib/python3/dist-packages'), ...own },
    // Not the `python3` on the PATH, which may lack the packages of the system's Python.
    words: [python === undefined ? '/usr/bin/python3' : join(target, 'usr/bin', python), join(target, path)],
  };
}

function chromium(tree, target, path) {
  const { LD_LIBRARY_PATH: libraries = '' } = libraryPath(tree, target);
  // Debian's libpulse has an absolute path to a library of its own, whose directory must therefore be listed, too.
  const all = libraries.split(':').flatMap((dir) => [dir, join(dir, 'pulseaudio')]);
  const variables = { LD_LIBRARY_PATH: all.join(':'), FONTCONFIG_FILE: writeFontsConfig(tree, target) };
  return { variables, words: [join(target, path)] };
}

/** Describes sshd, preloaded with nss_wrapper, which adds users from the file that NSS_WRAPPER_PASSWD names. */
function sshServer(tree, target, path) {
  const libraries = libraryPath(tree, target);
  const dirs = (libraries.LD_LIBRARY_PATH ?? '').split(':');
  const wrapper = dirs
    .map((dir) => join(dir, 'libnss_wrapper.so'))
    .find((file) => existsSync(join(tree, relative(target, file))));
  // Later versions of sshd are several programs, which sshd would look for in /usr only.
  const parts = { SshdSessionPath: 'usr/lib/openssh/sshd-session', SshdAuthPath: 'usr/lib/openssh/sshd-auth' };
  const options = Object.entries(parts).filter(([, part]) => existsSync(join(tree, part)));
  return {
    variables: { ...libraries, ...(wrapper === undefined ? {} : { LD_PRELOAD: wrapper }) },
    words: [join(target, path), ...options.flatMap(([name, part]) => ['-o', `${name}=${join(target, part)}`])],
  };
}

/** Describes zsh, which looks for its functions in FPATH, and for its modules only where TRUNKLINE_ZSH_MODULES says. */
function zsh(tree, target, path) {
  const functions = 'usr/share/zsh/functions';
  const dirs = readdirSync(join(tree, functions), { withFileTypes: true, recursive: true }).filter((one) =>
    one.isDirectory(),
  );
  const paths = dirs.map((dir) => join(target, relative(tree, join(dir.parentPath, dir.name))));
  const libraries = libraryPath(tree, target);
  const modules = (libraries.LD_LIBRARY_PATH ?? '').split(':').flatMap((dir) => {
    const versions = join(tree, relative(target, dir), 'zsh');
    return existsSync(versions) ? readdirSync(versions).map((version) => join(dir, 'zsh', version)) : [];
  });
  const variables = { ...libraries, FPATH: paths.join(':'), TRUNKLINE_ZSH_MODULES: modules.join(':') };
  return { variables, words: [join(target, path)] };
}

/** Describes systemd-analyze, whose library lies in a directory of its own, with the units of its package. */
function systemd(tree, target, path) {
  const { LD_LIBRARY_PATH: libraries = '' } = libraryPath(tree, target);
  const dirs = libraries.split(':').flatMap((dir) => [dir, join(dir, 'systemd')]);
  const units = ['usr/lib/systemd/system', 'lib/systemd/system'].map((dir) => join(target, dir));
  const variables = { LD_LIBRARY_PATH: dirs.join(':'), SYSTEMD_UNIT_PATH: `${units.join(':')}:` };
  return { variables, words: [join(target, path)] };
}

// Paths of each program in its package, and how it is started. Debian's script usr/bin/chromium looks in /usr only.
const programs = {
  git: { paths: ['usr/bin/git'], describe: git },
  hg: { paths: ['usr/bin/hg'], describe: mercurial },
  bzip2: { paths: ['usr/bin/bzip2', 'bin/bzip2'], describe: plain },
  unzip: { paths: ['usr/bin/unzip'], describe: plain },
  sshd: { paths: ['usr/sbin/sshd'], describe: sshServer },
  ssh: { paths: ['usr/bin/ssh'], describe: plain },
  'ssh-keygen': { paths: ['usr/bin/ssh-keygen'], describe: plain },
  slapd: { paths: ['usr/sbin/slapd'], describe: plain },
  nginx: { paths: ['usr/sbin/nginx'], describe: plain },
  haproxy: { paths: ['usr/sbin/haproxy'], describe: plain },
  zsh: { paths: ['usr/bin/zsh', 'bin/zsh'], describe: zsh },
  fish: { paths: ['usr/bin/fish'], describe: plain },
  curl: { paths: ['usr/bin/curl'], describe: plain },
  kubectl: { paths: ['usr/bin/kubectl'], describe: plain },
  'systemd-analyze': { paths: ['usr/bin/systemd-analyze'], describe: systemd },
  prometheus: { paths: ['usr/bin/prometheus'], describe: plain },
  promtool: { paths: ['usr/bin/promtool'], describe: plain },
  chromium: { paths: ['usr/lib/chromium/chromium'], describe: chromium },
};

function quote(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Writes scripts `commands/git`, `commands/hg` and so on into an unpacked tree that will be renamed to `target`. They
 * run the tree's programs with the environment variables by which these find their own files.
 */
export function addCommands(tree, target) {
  const certificates = bundleCertificates(tree, target);
  mkdirSync(join(tree, 'commands'));
  for (const [name, { paths, describe }] of Object.entries(programs)) {
    const path = paths.find((path) => existsSync(join(tree, path)));
    if (path === undefined) continue;
    const { variables, words } = describe(tree, target, path);
    const exports = Object.entries({ ...variables, ...certificates }).map(
      ([key, value]) => `export ${key}=${quote(value)}`,
    );
    const script = ['#!/bin/sh', ...exports, `exec ${words.map(quote).join(' ')} "$@"`, ''].join('\n');
    writeFileSync(join(tree, 'commands', name), script, { mode: 0o755 });
  }
}
