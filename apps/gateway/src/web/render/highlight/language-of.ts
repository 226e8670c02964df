import hljs from 'highlight.js';

const languagesByName = new Map([
  ['makefile', 'makefile'],
  ['gnumakefile', 'makefile'],
  ['dockerfile', 'dockerfile'],
  ['containerfile', 'dockerfile'],
  ['cmakelists.txt', 'cmake'],
  ['jenkinsfile', 'groovy'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
  ['vagrantfile', 'ruby'],
  ['podfile', 'ruby'],
  ['sconstruct', 'python'],
  ['build.bazel', 'python'],
  ['go.mod', 'go'],
  ['.bashrc', 'bash'],
  ['.bash_profile', 'bash'],
  ['.profile', 'bash'],
  ['.zshrc', 'bash'],
  ['.hgrc', 'ini'],
  ['hgrc', 'ini'],
  ['.gitconfig', 'ini'],
  ['.gitmodules', 'ini'],
  ['.editorconfig', 'ini'],
]);

/** Languages by file extension, for extensions that highlight.js does not know or maps to a rare language. */
const languagesByEnding = new Map([
  ['vue', 'xml'],
  ['svelte', 'xml'],
  ['m', 'objectivec'],
  ['bzl', 'python'],
  ['pyi', 'python'],
  ['cfg', 'ini'],
  ['jsonc', 'json'],
  ['tf', 'hcl'],
  ['patch', 'diff'],
]);

/** Returns the language of a file by its name alone: guessing from content would run every grammar over it. */
export function languageOf(fileName: string): string | undefined {
  const name = fileName.slice(fileName.lastIndexOf('/') + 1).toLowerCase();
  const byName = languagesByName.get(name);
  if (byName) return byName;
  const dot = name.lastIndexOf('.');
  return dot === -1 ? undefined : languageNamed(name.slice(dot + 1));
}

/**
 * Returns the language of a file extension, or of the name that a code block of Markdown gives; undefined when
 * highlight.js does not know the language.
 */
export function languageNamed(name: string): string | undefined {
  const language = languagesByEnding.get(name.toLowerCase()) ?? name;
  return hljs.getLanguage(language) ? language : undefined;
}
