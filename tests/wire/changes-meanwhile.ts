/** What is changed while a push arrives, the call that changes it, and the text that the client then gets. */
export type ChangeMeanwhile = [what: string, call: (name: string) => [string, object], text: (name: string) => string];

/** Changes after which a push of this user into a repository is refused. */
export const changesMeanwhile = (username: () => string): ChangeMeanwhile[] => [
  [
    'the right to write is revoked',
    (name) => ['grant_user_permission', { repoid: name, userid: username(), perm: 'repository.read' }],
    (name) => `You may read \`${name}\`, but not push into it`,
  ],
  [
    'somebody else locks the repository',
    (name) => ['lock', { repoid: name, userid: 'admin', locked: true }],
    (name) => `Repository \`${name}\` locked by user \`admin\``,
  ],
  [
    'the repository is renamed',
    (name) => ['update_repo', { repoid: name, name: `${name}-new` }],
    (name) => `repository \`${name}\` does not exist`,
  ],
  [
    'the repository is deleted',
    (name) => ['delete_repo', { repoid: name }],
    (name) => `repository \`${name}\` does not exist`,
  ],
];
