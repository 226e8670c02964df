/** Returns the configuration that every repository of git has. */
export function ownConfiguration(repositoryUuid: string): string {
  const core = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';
  return `${core}[trunkline]\n\tuuid = ${repositoryUuid}\n`;
}
