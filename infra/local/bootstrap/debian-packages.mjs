import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run, tellingLine } from './run.mjs';
import { SetupError } from './setup-error.mjs';

function cacheDir(env) {
  if (process.getuid?.() === 0) return '/var/cache/trunkline';
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline');
}

function systemName() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const field = (name) => release.match(new RegExp(`^${name}="?([\\w.-]+)`, 'm'))?.[1] ?? 'unknown';
  return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`;
}

/** apt with lists and archives in `dir`, which works without root and without the system's package lists. */
async function apt(dir, words) {
  const options = {
    'Dir::State': join(dir, 'state'),
    'Dir::Cache': join(dir, 'cache'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Debug::NoLocking': '1',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'APT::Sandbox::User': '',
    'APT::Update::Error-Mode': 'any',
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const { ok, output } = await run('apt-get', ['-q', ...flags, ...words], {
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (!ok) throw new SetupError(tellingLine(output, /^(E|Err):? /));
}

async function download(names, dir) {
  for (const part of ['state/lists/partial', 'cache/archives/partial']) mkdirSync(join(dir, part), { recursive: true });
  await apt(dir, ['update']);
  await apt(dir, ['install', '-y', '--download-only', '--reinstall', '--no-install-recommends', ...names]);
  const archives = join(dir, 'cache', 'archives');
  // The C library has to stay the one that the system's loader belongs to.
  const wanted = readdirSync(archives).filter((name) => name.endsWith('.deb') && !/^libc(6|-bin)_/.test(name));
  return wanted.map((name) => join(archives, name));
}

async function unpackInto(cache, target, names, finish) {
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'unpacking-'));
  try {
    const tree = join(temporary, 'tree');
    for (const archive of await download(names, join(temporary, 'apt'))) {
      const { ok, output } = await run('dpkg-deb', ['-x', archive, tree]);
      if (!ok) throw new SetupError(tellingLine(output, /error/));
    }
    finish(tree, target);
    if (!existsSync(target)) renameSync(tree, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * A directory with the named Debian packages, and what they need beyond this machine, unpacked once into a cache.
 * Made beside and renamed, so that two runs at once do no harm; `finish(tree, target)` adds to the tree that will
 * be called `target`.
 */
export async function debianPackages(names, finish, env, say) {
  const cache = cacheDir(env);
  const target = join(cache, `${systemName()}-${names.join('+')}`);
  if (existsSync(target)) return target;
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) {
    throw new SetupError(`Not found: ${names.join(', ')}. Install what is missing and try again.`);
  }
  say(`Fetching ${names.join(', ')} with apt into ${cache}`);
  try {
    await unpackInto(cache, target, names, finish);
  } catch (error) {
    throw new SetupError(
      `Cannot fetch ${names.join(', ')}: ${error.message}. Try again, or install what is missing yourself.`,
    );
  }
  return target;
}
