/** Labels of forms' fields by the names of the arguments that the fields become. */
const labels: Readonly<Record<string, string>> = {
  clone_uri: 'URL of the remote repository',
  context: 'Context lines',
  email: 'E-mail address',
  firstname: 'First name',
  fork_name: 'Name of the fork',
  group_name: 'Name',
  ip: 'Address or network',
  landing_rev: 'Landing revision',
  lastname: 'Last name',
  ldap_dn: 'LDAP entry',
  perm: 'Level',
  repo_name: 'Name',
  repo_type: 'Type',
  repogroupid: 'Repository group',
  repoid: 'Repository',
  userid: 'User',
  usersgroupid: 'User group',
};

function labelOf(argument: string): string {
  const words = argument.replaceAll('_', ' ');
  return Object.hasOwn(labels, argument) ? (labels[argument] ?? '') : words.charAt(0).toUpperCase() + words.slice(1);
}

const kinds: Readonly<Record<string, string>> = { repo: 'repository', 'repo group': 'repository group' };

type Rewrite = readonly [form: RegExp, rewrite: (...parts: readonly string[]) => string];

/** Rewrites of API texts that name arguments or methods, or call an object by a word that only the API uses. */
const rewrites: readonly Rewrite[] = [
  [/^Invalid value for `repositories`: needs `limited_to`$/, () => 'Repositories: choose what the key is limited to'],
  [/^Invalid value for `(\w+)`: (.*)$/s, (_, name = '', problem = '') => `${labelOf(name)}: ${problem}`],
  [/^Missing non optional `(\w+)` arg in JSON DATA$/, (_, name = '') => `${labelOf(name)} is required`],
  [/^Only admin can specify `owner` param$/, () => 'Only administrators can choose the owner'],
  [/^userid is not the same as your user$/, () => 'You may do this only for yourself'],
  [
    /^(The outcome of operation \S+ is not known yet), ask get_operation$/,
    (_, known = '') => `${known}: check again later`,
  ],
  [/^failed to get repo: `.*` \w+, ask for fewer with `limit`$/s, () => 'This is too large to be shown'],
  [/^failed to get repo: `.*` \w+$/s, () => 'This repository cannot be read now'],
  [
    /^failed to (update|delete) (user group|user|repo group|repo)\b.*$/s,
    (_, verb = '', kind = '') => `The ${kinds[kind] ?? kind} could not be ${verb}d`,
  ],
  [
    /^(repo group|repo|fork|user group|user|email) (`.*`) already exist$/s,
    (_, kind = '', name = '') => `${kinds[kind] ?? kind} ${name} already exists`,
  ],
  [
    /^Cannot delete (`.*`) it still contains attached forks$/s,
    (_, name = '') => `${name} has forks: choose what to do with them`,
  ],
];

/** Returns a text of the API in the words of the pages; the meaning stays, and so do the backticks around names. */
export function pageText(text: string): string {
  for (const [form, rewrite] of rewrites) {
    const parts = form.exec(text);
    if (parts) return rewrite(...parts);
  }
  return text;
}
