import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Returns settings of git each of which runs a command, or points outside the repository. */
export function gitPayload(outside: string): string {
  const command = join(outside, 'evil.sh');
  return `[core]
	bare = false
	worktree = ${outside}/git
	fsmonitor = ${command}
	sshCommand = ${command}
	gitProxy = ${command}
	askPass = ${command}
	pager = ${command}
	editor = ${command}
	hooksPath = ${outside}/hooks
	attributesFile = ${outside}/attributes
	alternateRefsCommand = ${command}
[alias]
	rev-list = !${command}
	cat-file = !${command}
	ls-tree = !${command}
	fetch = !${command}
[credential]
	helper = !${command}
[url "ext::${command} "]
	insteadOf = http://
[url "${outside}/git"]
	insteadOf = http://127.0.0.1
[filter "x"]
	smudge = ${command}
	process = ${command}
[diff]
	external = ${command}
[gpg]
	program = ${command}
[uploadpack]
	packObjectsHook = ${command}
[receive]
	procReceiveRefs = refs
	denyNonFastForwards = true
	denyDeletes = true
	unpackLimit = 1000000
	autogc = true
[remote "origin"]
	url = ext::${command}
	uploadpack = ${command}
	vcs = evil
[pager]
	rev-list = ${command}
[maintenance]
	auto = true
[gc]
	auto = 1
[trunkline]
	uuid = not-ours
`;
}

/** Returns settings of git which a push would obey, and with which the repository stays one: each runs a command. */
export function gitPushPayload(outside: string): string {
  const command = join(outside, 'evil.sh');
  return `[core]
	fsmonitor = ${command}
	hooksPath = ${outside}/hooks
	alternateRefsCommand = ${command}
[receive]
	procReceiveRefs = refs
	denyNonFastForwards = true
	denyDeletes = true
	autogc = true
[gc]
	auto = 1
	autoDetach = false
	recentObjectsHook = ${command}
`;
}

/** Events of Mercurial, those of a push among them. */
const hgEvents = (
  'pre-log post-log pre-files pre-manifest pre-pull pretxnopen pretxnclose txnclose txnabort incoming outgoing ' +
  'preoutgoing prechangegroup pretxnchangegroup changegroup prepushkey pushkey prelistkeys listkeys ' +
  'pretxnclose-bookmark txnclose-bookmark pretxnclose-phase txnclose-phase pre-unbundle pre-trunkline-serve'
).split(' ');

/** Returns settings of Mercurial each of which runs a command, or points outside the repository. */
export function hgPayload(outside: string): string {
  const command = join(outside, 'evil.sh');
  return `%include ${outside}/evil.rc
[extensions]
evil = ${outside}/evil.py
[hooks]
${hgEvents.map((event) => `${event} = ${command}`).join('\n')}
${hgEvents.map((event) => `${event}.python = python:${outside}/evil.py:run`).join('\n')}
[alias]
log = !${command}
files = !${command}
pull = !${command}
unbundle = !${command}
trunkline-serve = !${command}
[ui]
ssh = ${command}
[paths]
default = ssh://evil/
[trunkline]
uuid = not-ours
`;
}

const gitHooks = (
  'pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout post-checkout ' +
  'pre-auto-gc post-index-change fsmonitor-watchman'
).split(' ');

/** Puts executable git hooks of every kind into a directory. */
export async function plantHooks(directory: string, outside: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const hook of gitHooks) await copyFile(join(outside, 'evil.sh'), join(directory, hook));
}

interface Plant {
  /** Matches the reason in the log. */
  readonly reason: RegExp;
  plant(directory: string, outside: string): Promise<unknown>;
}

/** Replaces an entry by a symbolic link to `target`. */
async function replaceByLink(path: string, target: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await symlink(target, path);
}

const appended =
  (name: string, text: string): Plant['plant'] =>
  (directory) =>
    writeFile(join(directory, name), text, { flag: 'a' });

const linked =
  (name: string, target: string): Plant['plant'] =>
  (directory, outside) =>
    replaceByLink(join(directory, name), join(outside, target));

/** Changes each of which makes a Mercurial repository one that is not adopted, with the reason in the log. */
export const hgPlants: Readonly<Record<string, Plant>> = {
  'a share': {
    reason: /share of another/,
    plant: async (directory, outside) => {
      await appended('.hg/requires', 'shared\n')(directory, outside);
      await writeFile(join(directory, '.hg/sharedpath'), join(outside, 'hg/.hg'));
    },
  },
  'the requirement shared': { reason: /`shared`/, plant: appended('.hg/requires', 'shared\n') },
  'the requirement relshared': { reason: /`relshared`/, plant: appended('.hg/requires', 'relshared\n') },
  'a shared path alone': { reason: /share of another/, plant: appended('.hg/sharedpath', '../../other/.hg\n') },
  'an unknown requirement': { reason: /`exp-evil`/, plant: appended('.hg/requires', 'exp-evil\n') },
  'an unknown requirement of its store': { reason: /`lfs`/, plant: appended('.hg/store/requires', 'lfs\n') },
  'no requirements': { reason: /no list/, plant: (directory) => rm(join(directory, '.hg/requires')) },
  'a cut-off transaction, whose journal may name any path': {
    reason: /transaction/,
    plant: appended('.hg/store/journal', '../../../outside/evil.sh\u00000\n'),
  },
  'its metadata as a link': { reason: /`.hg` is no directory/, plant: linked('.hg', 'hg/.hg') },
  'its store as a link': { reason: /`store` is neither/, plant: linked('.hg/store', 'hg/.hg/store') },
  'a link in its store': { reason: /`store\/data\/x.i` is neither/, plant: linked('.hg/store/data/x.i', 'evil.sh') },
  'its configuration as a link': { reason: /`hgrc` is neither/, plant: linked('.hg/hgrc', 'evil.sh') },
  'a pipe for requirements': {
    reason: /`requires` is neither/,
    plant: async (directory) => {
      await rm(join(directory, '.hg/requires'));
      await promisify(execFile)('mkfifo', [join(directory, '.hg/requires')]);
    },
  },
};

const sha256 = '[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\n';

/** Changes each of which makes a git repository one that is not adopted, with the reason in the log. */
export const gitPlants: Readonly<Record<string, Plant>> = {
  'objects borrowed from elsewhere': {
    reason: /borrows/,
    plant: (directory, outside) =>
      writeFile(join(directory, 'objects/info/alternates'), `${outside}/git/.git/objects\n`),
  },
  'objects borrowed over http': {
    reason: /borrows/,
    plant: appended('objects/info/http-alternates', 'http://127.0.0.1/objects\n'),
  },
  'a common directory elsewhere': { reason: /work tree of another/, plant: appended('commondir', '../other/.git\n') },
  'linked work trees': {
    reason: /linked work trees/,
    plant: (directory) => mkdir(join(directory, 'worktrees/x'), { recursive: true }),
  },
  'objects as a link': { reason: /`objects` is neither/, plant: linked('objects', 'git/.git/objects') },
  'refs as a link': { reason: /`refs` is neither/, plant: linked('refs', 'git/.git/refs') },
  'HEAD as a link': { reason: /`HEAD` is neither/, plant: linked('HEAD', 'git/.git/HEAD') },
  'a branch as a link': { reason: /`refs\/heads\/x` is neither/, plant: linked('refs/heads/x', 'evil.sh') },
  'its configuration as a link': { reason: /`config` is neither/, plant: linked('config', 'evil.sh') },
  'an unknown extension': {
    reason: /`extensions.refstorage` = `reftable`/,
    plant: appended('config', '[extensions]\n\trefStorage = reftable # new\n'),
  },
  'another kind of ids': { reason: /`extensions.objectformat` = `sha256`/, plant: appended('config', sha256) },
  'a reference that replaces an object': {
    reason: /replaces objects/,
    plant: async (directory) => {
      await mkdir(join(directory, 'refs/replace'), { recursive: true });
      await writeFile(join(directory, 'refs/replace', '1'.repeat(40)), `${'2'.repeat(40)}\n`);
    },
  },
  'a packed reference that replaces an object': {
    reason: /replaces objects/,
    plant: appended('packed-refs', `${'2'.repeat(40)} refs/replace/${'1'.repeat(40)}\n`),
  },
  'other parents for a commit': {
    reason: /other parents/,
    plant: async (directory) => {
      await mkdir(join(directory, 'info'), { recursive: true });
      await writeFile(join(directory, 'info/grafts'), `${'1'.repeat(40)}\n`);
    },
  },
  'a history that ends early': { reason: /shallow/, plant: appended('shallow', `${'1'.repeat(40)}\n`) },
  'missing objects': { reason: /partial clone/, plant: appended('config', '[remote "x"] promisor\n') },
  'another format': { reason: /version `2`/, plant: appended('config', '[core]\n\trepositoryFormatVersion = 2\n') },
};
