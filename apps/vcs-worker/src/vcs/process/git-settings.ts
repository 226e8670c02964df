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
