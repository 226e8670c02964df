/** Matches the name of a connection that declares how many connections its process opens at most. */
const declaring = /^((?:gateway|vcs-worker) \S+) \S+ (\d+)$/;

/** Returns the name of a pool's connections. Postgres cuts names after 63 bytes. */
export function connectionName(process: string, pool: string, sum: number): string {
  return `${process} ${pool} ${sum}`;
}

export interface ConnectionSum {
  /** Connections that other processes of Trunkline declare. */
  readonly declared: number;
  /** Open connections of all others, which may end or grow. */
  readonly others: number;
}

/** Sums up the connections of a server from their names, without those of the process `own`. */
export function sumConnections(names: readonly string[], own: string): ConnectionSum {
  const declaredBy = new Map<string, number>();
  let others = 0;
  for (const name of names) {
    const [, process, sum] = declaring.exec(name) ?? [];
    if (process === undefined) others += 1;
    else if (process !== own) declaredBy.set(process, Math.max(Number(sum), declaredBy.get(process) ?? 0));
  }
  return { declared: [...declaredBy.values()].reduce((sum, one) => sum + one, 0), others };
}
