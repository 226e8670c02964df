import type { EgressSession } from '../egress/egress-guard.ts';
import type { Remote } from '../remote/parse-remote.ts';
import { gitSettings, quoted, type GitSettings, type RuntimeFiles } from './runtime-files.ts';

/** Returns variables that override the settings of every configuration file, the repository's own included. */
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

/** Returns the environment of every child: built from nothing, so that no variable of the worker or a user is in it. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment(gitSettings),
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HGPLAIN: '+strictflags',
    // Lets the options of a command turn progress on, which HGPLAIN alone would ignore.
    HGPLAINEXCEPT: 'progress',
    HGRCPATH: '',
    HGRCSKIPREPO: '1',
    HGENCODING: 'utf-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: '',
    // Buffers stdout: otherwise git writes each commit of a walk separately, which wakes up the reading process.
    GIT_FLUSH: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    // Replaces the repository's info/grafts by a file that does not exist.
    GIT_GRAFT_FILE: '/nonexistent/grafts',
  };
}

/**
 * Settings of `git upload-pack`. Version 2 of the protocol gives any object to a client that knows its id, so a hidden
 * reference keeps nothing secret; older versions check that a shown reference reaches a commit.
 */
const uploadPackSettings: GitSettings = {
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowAnySHA1InWant': 'false',
  'uploadpack.hideRefs': 'refs/trunkline',
  // The filters whose cost does not grow with what the client sends.
  'uploadpackfilter.allow': 'false',
  'uploadpackfilter.blob:none.allow': 'true',
  'uploadpackfilter.blob:limit.allow': 'true',
  'uploadpackfilter.object:type.allow': 'true',
  'uploadpackfilter.tree.allow': 'true',
  'uploadpackfilter.tree.maxDepth': '0',
  // Keeps proxies, and the time limits of this service, from ending a fetch whose pack is still being made.
  'uploadpack.keepAlive': '5',
  'core.bigFileThreshold': '32m',
  'pack.threads': '2',
};

/** Environment of a clone or fetch by a client that speaks this version of git's protocol. */
export function uploadPackEnvironment(protocol: number): NodeJS.ProcessEnv {
  return {
    ...childEnvironment(),
    ...gitEnvironment({ ...gitSettings, ...uploadPackSettings }),
    GIT_PROTOCOL: `version=${protocol}`,
  };
}

/**
 * Faults of objects, by git's names, that tools of old have made and that harm nobody. Pushes and copies of remotes accept
 * these and no others.
 */
const acceptedFaults: readonly string[] = [
  'badEmail',
  'badTimezone',
  'missingEmail',
  'missingNameBeforeEmail',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'zeroPaddedFilemode',
];

/** The option with which `git index-pack` checks each object by these rules. */
export const strictOption = `--strict=${acceptedFaults.map((fault) => `${fault}=ignore`).join(',')}`;

/** Settings of commands that write what a client has pushed, or a remote has sent. */
const pushSettings: GitSettings = {
  // A power failure loses nothing that was acknowledged.
  'core.fsync': 'objects,derived-metadata,reference',
  'receive.hideRefs': 'refs/trunkline',
  'receive.advertiseAtomic': 'true',
  'receive.advertisePushOptions': 'true',
  'receive.autogc': 'false',
};

/** Environment of commands that change the references of a repository, or list them for a client that pushes. */
export function pushEnvironment(): NodeJS.ProcessEnv {
  return { ...childEnvironment(), ...gitEnvironment({ ...gitSettings, ...pushSettings }) };
}

/** Settings of commands that pack repositories in the background: they compute for long, so that they hold little. */
const maintenanceSettings: GitSettings = {
  'pack.threads': '1',
  'pack.windowMemory': '128m',
  'pack.deltaCacheSize': '64m',
  'core.bigFileThreshold': '32m',
};

/** Environment of commands that pack repositories. */
export function maintenanceEnvironment(): NodeJS.ProcessEnv {
  return { ...childEnvironment(), ...gitEnvironment({ ...gitSettings, ...maintenanceSettings }) };
}

/** The variable by which git also finds the objects of another repository, of which it changes none. */
export function alternateVariable(repository: string): NodeJS.ProcessEnv {
  // Git reads a list of paths with colons between them; in quotes, a path may have one.
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${repository.replaceAll(/["\\]/g, '\\$&')}/objects"` };
}

/** Variables by which new objects go to a directory of their own, beside those of the repository. */
export function quarantineVariables(repository: string, objects: string): NodeJS.ProcessEnv {
  return { GIT_OBJECT_DIRECTORY: objects, ...alternateVariable(repository) };
}

/** Environment of commands whose new objects go to a directory of their own. */
export function quarantineEnvironment(repository: string, objects: string): NodeJS.ProcessEnv {
  return { ...pushEnvironment(), ...quarantineVariables(repository, objects) };
}

/** Environment of a copy on the same disk: git starts a second git process, which reads settings from files only. */
export function forkEnvironment(files: RuntimeFiles): NodeJS.ProcessEnv {
  return { ...childEnvironment(), GIT_CONFIG_GLOBAL: files.gitConfig, GIT_ALLOW_PROTOCOL: 'file' };
}

/** Environment of an archive: a repository can have git check a signature with a program that git finds in PATH. */
export function archiveEnvironment(files: RuntimeFiles): NodeJS.ProcessEnv {
  const env = childEnvironment();
  return { ...env, PATH: `${files.failingSignerDir}:${env['PATH']}` };
}

/** The id of the tree without files, which git knows in every repository. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * Environment of commands that read a repository by ids. Git finds its objects, and neither its settings nor attributes that
 * say how files are compared: in `info/attributes` and, for some releases of git, in the commit of HEAD.
 */
export function contentEnvironment(files: RuntimeFiles, repository: string): NodeJS.ProcessEnv {
  return {
    ...childEnvironment(),
    GIT_COMMON_DIR: files.gitCommonDir,
    GIT_OBJECT_DIRECTORY: `${repository}/objects`,
    GIT_ATTR_SOURCE: emptyTree,
  };
}

/** Binds the credential helper to the remote's origin: after a redirect to another origin git has no credentials. */
function loginSettings(remote: Remote, files: RuntimeFiles): GitSettings {
  if (remote.username === null || remote.scheme === 'ssh') return {};
  return { [`credential.${new URL(remote.url).origin}.helper`]: `!${quoted(files.login)}` };
}

/**
 * Environment in which a child reaches one remote through the egress guard. It holds the guard's credentials, which are
 * valid until the session is closed; the credentials of the remote are in no environment.
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
      // Objects come in packs, so that they are packed for the check without being deflated again.
      'fetch.unpackLimit': '1',
      'http.proxy': `http://${username}:${password}@${host}:${port}`,
      'http.followRedirects': 'initial',
      ...loginSettings(remote, files),
    }),
    // A server that has moved to https answers http with a redirect.
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
