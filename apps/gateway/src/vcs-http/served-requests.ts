/**
 * What clients of version control systems are served. The pages show the commands of what is served, and no others.
 */
export const servedRequests: Readonly<Record<'git' | 'hg', { readonly clone: boolean; readonly push: boolean }>> = {
  git: { clone: true, push: true },
  hg: { clone: true, push: true },
};
