import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

export type GitSettings = Readonly<Record<string, string>>;

/** Settings that override those of every git configuration file. */
export const gitSettings: GitSettings = {
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  // Differences show the names of files as they are, as those of Mercurial do, instead of the bytes of their letters.
  'core.quotePath': 'false',
  // A command without output, instead of one that the repository names for the references of where it borrows objects.
  'core.alternateRefsCommand': 'true',
  // A commit-graph can hold wrong parents: only walks of commits read it, once it was checked (`git/commit-graph.ts`).
  'core.commitGraph': 'false',
  // Ignores replace references, with which a repository substitutes other objects for its own.
  'core.useReplaceRefs': 'false',
  // Git's defaults for little address space, which is what children have: packs may be larger than the address space.
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  'credential.helper': '',
  'fetch.writeCommitGraph': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'pack.threads': '4',
};

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Paths of programs and settings for children. The files never change; the environment holds what differs by call. */
export interface RuntimeFiles {
  /** Git's credential helper. */
  readonly login: string;
  /** Proxy command of git and ssh, which connects to a host and port through the egress guard. */
  readonly connect: string;
  /** The ssh client with the worker's key, its known hosts and `connect`. */
  readonly ssh: string;
  /** `gitSettings` as a configuration file, for forks (`forkEnvironment`). */
  readonly gitConfig: string;
  /** What a repository of git has beside its objects and HEAD: here no settings, attributes or references. */
  readonly gitCommonDir: string;
  /** Mercurial extension that permits connections to the egress guard alone. */
  readonly hgEgress: string;
  /** Mercurial extension that counts what a diff would read. */
  readonly hgChanges: string;
  /** Mercurial extension that finds the last changes of a directory. */
  readonly hgLastChanges: string;
  /** Mercurial extension that makes diffs which can be applied. */
  readonly hgDiffs: string;
  /** Mercurial extension that finds the history of paths and lines. */
  readonly hgPaths: string;
  /** Mercurial extension that renders reStructuredText. */
  readonly hgRst: string;
  /** Mercurial extension that prints texts as they are stored. */
  readonly hgStored: string;
  /** Mercurial extension that answers clients. */
  readonly hgServe: string;
  /** Directory of the sockets on which that extension listens. */
  readonly hgSockets: string;
  /** Path at which Mercurial makes the template of its repositories. */
  readonly hgTemplate: string;
  /** Directory of programs that always fail, in place of those with which git checks signatures. */
  readonly failingSignerDir: string;
}

const ownPackage = createRequire(import.meta.url);
/** The built connect command, also when the worker runs from sources: a plain node runs the file. */
const connectCommandPath = ownPackage.resolve('@trunkline/vcs-worker/connect-command');
/** Returns the path of an extension of Mercurial; these are beside `src` and `dist`, since they have a licence of their own. */
const extensionPath = (name: string) => ownPackage.resolve(`@trunkline/vcs-worker/mercurial/${name}`);
/** What the extension that answers clients loads from its own directory. */
const hgServeModules = [
  'trunkline_command.py',
  'trunkline_fork_server.py',
  'trunkline_push.py',
  'trunkline_self_attack.py',
];

const loginScript = `#!/bin/sh
[ "$1" = get ] || exit 0
echo >&3
IFS= read -r username <&3 && IFS= read -r password <&3 || exit 1
printf 'username=%s\\npassword=%s\\n' "$username" "$password"
`;

function connectScript(): string {
  return `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(connectCommandPath)} "$@"\n`;
}

// Mercurial leaves the brackets around an IPv6 address, which ssh would read as a name. UserKnownHostsFile has inner
// quotes, since ssh reads its value as a list of files.
function sshScript(program: string, connect: string): string {
  return `#!/bin/sh
for word; do
  shift
  case "$word" in '['*']') word=\${word#?}; word=\${word%?} ;; esac
  set -- "$@" "$word"
done
exec ${quoted(program)} -F /dev/null -i "$TRUNKLINE_SSH_KEY" -o IdentitiesOnly=yes -o BatchMode=yes \\
  -o StrictHostKeyChecking=yes -o "UserKnownHostsFile=\\"$TRUNKLINE_SSH_KNOWN_HOSTS\\"" \\
  -o GlobalKnownHostsFile=/dev/null -o ProxyCommand=${quoted(`${quoted(connect)} %h %p`)} \\
  \${TRUNKLINE_SSH_USERNAME:+-l "$TRUNKLINE_SSH_USERNAME"} "$@"
`;
}

function gitConfig(): string {
  const lines = Object.entries(gitSettings).map(([key, value]) => {
    const [section = '', name = ''] = key.split('.');
    return `[${section}]\n\t${name} = "${value}"\n`;
  });
  return lines.join('');
}

export async function writeRuntimeFiles(directory: string, sshProgram = 'ssh'): Promise<RuntimeFiles> {
  const files = {
    login: join(directory, 'login'),
    connect: join(directory, 'connect'),
    ssh: join(directory, 'ssh'),
    gitConfig: join(directory, 'gitconfig'),
    gitCommonDir: join(directory, 'git'),
    hgEgress: join(directory, 'trunkline_egress.py'),
    hgChanges: join(directory, 'trunkline_changes.py'),
    hgLastChanges: join(directory, 'trunkline_last_changes.py'),
    hgDiffs: join(directory, 'trunkline_diffs.py'),
    hgPaths: join(directory, 'trunkline_paths.py'),
    hgRst: join(directory, 'trunkline_rst.py'),
    hgStored: join(directory, 'trunkline_stored.py'),
    hgServe: join(directory, 'trunkline_serve.py'),
    hgSockets: join(directory, 'hg'),
    hgTemplate: join(directory, 'hg-template'),
    failingSignerDir: join(directory, 'no-signers'),
  };
  await chmod(directory, 0o700);
  await writeFile(files.login, loginScript, { mode: 0o500 });
  await writeFile(files.connect, connectScript(), { mode: 0o500 });
  const { hgEgress, hgChanges, hgLastChanges, hgDiffs, hgPaths, hgRst, hgStored, hgServe } = files;
  const extensions = [hgEgress, hgChanges, hgLastChanges, hgDiffs, hgPaths, hgRst, hgStored, hgServe];
  for (const path of [...extensions, ...hgServeModules.map((name) => join(directory, name))]) {
    await writeFile(path, await readFile(extensionPath(basename(path))), { mode: 0o400 });
  }
  await mkdir(files.hgSockets, { mode: 0o700 });
  await mkdir(join(files.gitCommonDir, 'refs'), { recursive: true, mode: 0o700 });
  await writeFile(files.gitConfig, gitConfig(), { mode: 0o400 });
  await writeFile(files.ssh, sshScript(sshProgram, files.connect), { mode: 0o500 });
  await mkdir(files.failingSignerDir, { mode: 0o700 });
  for (const name of ['gpg', 'gpgsm', 'ssh-keygen']) {
    await writeFile(join(files.failingSignerDir, name), '#!/bin/sh\nexit 1\n', { mode: 0o500 });
  }
  return files;
}
