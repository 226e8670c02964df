import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { failureLine, run, SetupError, withProgress } from './run.mjs';

function cacheDir(env) {
  if (process.getuid?.() === 0) return '/var/cache/trunkline';
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'trunkline');
}

function systemName() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const field = (name) => release.match(new RegExp(`^${name}="?([\\w.-]+)`, 'm'))?.[1] ?? 'unknown';
  return `${field('ID')}-${field('VERSION_ID')}-${process.arch}`;
}

/**
 * Runs apt-get with lists and archives in `dir`, so that neither root nor the system's package lists are needed;
 * `source` has further options.
 */
async function apt(dir, words, source, onOutput) {
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
    ...source.options,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const { ok, output } = await run('apt-get', ['-q', ...flags, ...words], {
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    onOutput,
  });
  if (!ok) throw new SetupError(failureLine(output, /^(E|Err):? /));
}

function megabytesIn(dir) {
  const sizes = readdirSync(dir, { withFileTypes: true, recursive: true }).map((entry) => {
    // A file that apt has just moved or removed is counted the next time.
    const found = entry.isFile() && statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    return found ? found.size : 0;
  });
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}

/** Returns the amount that apt reports it has to fetch, for example ' of 85.3 MB'; empty while unknown. */
function amountToFetch(output) {
  const amount = /^Need to get (?:.*\/)?([\d.,]+ \w?B) of/m.exec(output)?.[1];
  return amount === undefined ? '' : ` of ${amount}`;
}

async function download(names, dir, source, say) {
  for (const part of ['state/lists/partial', 'cache/archives/partial']) mkdirSync(join(dir, part), { recursive: true });
  const update = () => apt(dir, ['update'], source);
  const reading = "Reading the package lists of the system's mirrors";
  await withProgress(reading, say, (seconds) => `${reading} for ${seconds} s`, update);

  const archives = join(dir, 'cache', 'archives');
  let amount = '';
  const install = ['install', '-y', '--download-only', '--reinstall', '--no-install-recommends', ...names];
  const fetchAll = () => apt(dir, install, source, (output) => (amount = amountToFetch(output)));
  const fetching = `Fetching ${names.join(', ')}`;
  const describe = (seconds) => `${fetching} for ${seconds} s: ${megabytesIn(archives)} MB${amount}`;
  await withProgress(fetching, say, describe, fetchAll);
  const found = readdirSync(archives).filter((name) => name.endsWith('.deb'));
  // The C library must remain that of the system, to which the system's dynamic loader belongs.
  const wanted = found.filter((name) => source.hasOwnLoader || !/^libc(6|-bin)_/.test(name));
  return wanted.map((name) => join(archives, name));
}

async function unpackInto(cache, target, { names, source, finish }, say) {
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, 'unpacking-'));
  try {
    const tree = join(temporary, 'tree');
    const dir = join(temporary, 'apt');
    for (const archive of await download(names, dir, source(dir), say)) {
      const { ok, output } = await run('dpkg-deb', ['-x', archive, tree]);
      if (!ok) throw new SetupError(failureLine(output, /error/));
    }
    finish(tree, target);
    try {
      renameSync(tree, target);
    } catch (error) {
      // A concurrent run has unpacked the packages.
      if (!existsSync(target)) throw error;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function unpacked(name, wanted, env, say) {
  const { names } = wanted;
  const cache = cacheDir(env);
  const target = join(cache, name);
  if (existsSync(target)) return target;
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) {
    throw new SetupError(`Not found: ${names.join(', ')}. Install what is missing and try again.`);
  }
  say(`Fetching ${names.join(', ')} with apt into ${cache}`);
  try {
    await unpackInto(cache, target, wanted, say);
  } catch (error) {
    throw new SetupError(
      `Cannot fetch ${names.join(', ')}: ${error.message}. Try again, or install what is missing yourself.`,
    );
  }
  return target;
}

/**
 * Unpacks the named Debian packages, with dependencies that this machine lacks, once into a cache; returns the
 * directory. The tree is unpacked beside `target` and renamed, so that two concurrent runs do no harm;
 * `finish(tree, target)` adds files to the tree before it is renamed.
 */
export function debianPackages(names, finish, env, say) {
  const source = () => ({ options: {}, hasOwnLoader: false });
  return unpacked(`${systemName()}-${names.join('+')}`, { names, source, finish }, env, say);
}

/** Returns the address of Debian's archive that the machine uses. */
async function debianMirror() {
  const { output } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const found = output.split('\n').find((line) => /\/debian\/?$/.test(line));
  if (!found) throw new SetupError('this machine has no source of Debian packages');
  return found;
}

/**
 * Unpacks packages of another release of Debian from the mirror of this machine, with all that they depend on, the C
 * library and its dynamic loader included.
 */
export async function suitePackages(suite, names, finish, env, say) {
  const mirror = await debianMirror();
  const source = (dir) => {
    const files = { list: join(dir, 'sources.list'), status: join(dir, 'status') };
    mkdirSync(dir, { recursive: true });
    writeFileSync(files.list, `deb ${mirror} ${suite} main\n`);
    writeFileSync(files.status, '');
    const options = {
      'Dir::Etc::SourceList': files.list,
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::status': files.status,
    };
    return { options, hasOwnLoader: true };
  };
  return unpacked(`debian-${suite}-${process.arch}-${names.join('+')}`, { names, source, finish }, env, say);
}
