interface Table {
  readonly name: string;
  /** Names of the tables to which rows of this one refer. */
  readonly needs: readonly string[];
}

/** Returns the tables in an order in which none comes before one that it needs. */
export function inNeededOrder<T extends Table>(tables: readonly T[]): readonly T[] {
  const left = new Set(tables);
  const ordered: T[] = [];
  const names = new Set<string>();
  while (left.size > 0) {
    const free = [...left].filter(({ needs }) => needs.every((name) => names.has(name)));
    if (free.length === 0) throw new Error('tables refer to each other');
    for (const table of free) {
      left.delete(table);
      names.add(table.name);
      ordered.push(table);
    }
  }
  return ordered;
}
