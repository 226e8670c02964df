import type { EgressSession } from '../egress/egress-guard.ts';
import type { Remote } from '../remote/remote.ts';
import { quoted } from './quoted.ts';
import type { RuntimeFiles } from './runtime-files.ts';

type GitSettings = Readonly<Record<string, string>>;

/** What stands above every git configuration file. */
export const gitSettings: GitSettings = {
  'safe.directory': '*',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  // It can lie about parents: only walks of commits read it, once it was checked (`git/commit-graph.ts`).
  'core.commitGraph': 'false',
  // What a repository says in the place of its own objects is without effect.
  'core.useReplaceRefs': 'false',
  // Those of systems with little address space, which is what children have: packs may be larger than that.
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  'credential.helper': '',
  'fetch.writeCommitGraph': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'pack.threads': '4',
};

/** Settings in the environment stand above every file's, those in a repository's own one included. */
function gitEnvironment(settings: GitSettings): NodeJS.ProcessEnv {
  const numbered = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...Object.fromEntries<string>(numbered.map(([name = '', value = '']) => [name, value])),
  };
}

/** The environment of every child: built from nothing, so that no variable of ours or of a user's reaches it. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment(gitSettings),
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HGPLAIN: '+strictflags',
    // It shows some only where a command asks for it.
    HGPLAINEXCEPT: 'progress',
    HGRCPATH: '',
    HGRCSKIPREPO: '1',
    HGENCODING: 'utf-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: '',
    // Otherwise each commit of a walk is a write of its own, and wakes up whoever reads.
    GIT_FLUSH: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Instead of the repository's info/grafts.
    GIT_GRAFT_FILE: '/nonexistent/grafts',
  };
}

/** For a copy on the same disk: git runs a second one, which heeds files only. */
export function forkEnvironment(files: RuntimeFiles): NodeJS.ProcessEnv {
  return { ...childEnvironment(), GIT_CONFIG_GLOBAL: files.gitConfig, GIT_ALLOW_PROTOCOL: 'file' };
}

/** For an archive: what lies in a repository can have git check a signature, with whatever program it finds. */
export function archiveEnvironment(files: RuntimeFiles): NodeJS.ProcessEnv {
  const env = childEnvironment();
  return { ...env, PATH: `${files.noSigners}:${env['PATH']}` };
}

/** The login is bound to the remote's origin: to another one, after a redirect, git has nothing to say. */
function loginSettings(remote: Remote, files: RuntimeFiles): GitSettings {
  if (remote.username === null || remote.scheme === 'ssh') return {};
  return { [`credential.${new URL(remote.url).origin}.helper`]: `!${quoted(files.login)}` };
}

/**
 * What a child needs beside that to reach one remote through the egress guard, whose credentials hold for one transfer;
 * the remote's own are in no environment.
 */
export function fetchEnvironment(
  files: RuntimeFiles,
  remote: Remote,
  session: EgressSession,
  sshDir: string | null,
): NodeJS.ProcessEnv {
  const { host, port, username, password } = session;
  return {
    ...childEnvironment(),
    ...gitEnvironment({
      ...gitSettings,
      'http.proxy': `http://${username}:${password}@${host}:${port}`,
      'http.followRedirects': 'initial',
      ...loginSettings(remote, files),
    }),
    // A server that moved to https says so by a redirect.
    GIT_ALLOW_PROTOCOL: remote.scheme === 'http' ? 'http:https' : remote.scheme,
    GIT_PROXY_COMMAND: files.connect,
    GIT_SSH_COMMAND: quoted(files.ssh),
    GIT_SSH_VARIANT: 'ssh',
    TRUNKLINE_SSH_USERNAME: remote.scheme === 'ssh' ? (remote.username ?? '') : '',
    TRUNKLINE_EGRESS: `${host}:${port}:${username}:${password}`,
    TRUNKLINE_SSH_KEY: `${sshDir ?? '/nonexistent'}/id_ed25519`,
    TRUNKLINE_SSH_KNOWN_HOSTS: `${sshDir ?? '/nonexistent'}/known_hosts`,
  };
}
