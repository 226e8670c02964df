export interface GraphNode {
  readonly id: string;
  readonly parents: readonly string[];
}

export interface GraphEdge {
  readonly fromColumn: number;
  readonly toColumn: number;
  /** The index of a colour, 0 to 7. */
  readonly colour: number;
}

export interface GraphRow {
  readonly column: number;
  readonly colour: number;
  /** Lines from this row to the next. */
  readonly edges: readonly GraphEdge[];
}

/** The numbers of columns and colours that `changeset-css.ts` and `highlight-css.ts` have classes for. */
const columnsMax = 12;
const coloursMax = 8;
const parentsMax = 64;

interface Line {
  /** The id of the changeset that the line leads to. */
  readonly id: string;
  readonly colour: number;
}

/** The lines that continue below the present row, by column; undefined for a free column. */
type Columns = (Line | undefined)[];

function freeColumn(columns: Columns): number {
  const free = columns.indexOf(undefined);
  return free === -1 ? columns.length : free;
}

/** Returns the column to draw: columns beyond `columnsMax` share the last one. */
function shownColumn(column: number): number {
  return Math.min(column, columnsMax - 1);
}

function shownEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const shown = new Map<string, GraphEdge>();
  for (const { fromColumn, toColumn, colour } of edges) {
    const edge = { fromColumn: shownColumn(fromColumn), toColumn: shownColumn(toColumn), colour };
    const columns = `${edge.fromColumn} ${edge.toColumn}`;
    if (!shown.has(columns)) shown.set(columns, edge);
  }
  return [...shown.values()];
}

/**
 * Returns the columns and lines beside a page of changesets, children before parents. Each line keeps its column down
 * to its changeset; lines to parents on later pages continue to the end of the page.
 */
export function layOutGraph(nodes: readonly GraphNode[]): GraphRow[] {
  const columns: Columns = [];
  let coloursUsed = 0;
  const nextColour = () => coloursUsed++ % coloursMax;

  return nodes.map(({ id, parents }) => {
    const awaited = columns.findIndex((line) => line?.id === id);
    const column = awaited === -1 ? freeColumn(columns) : awaited;
    const colour = columns[column]?.colour ?? nextColour();
    const edges: GraphEdge[] = [];

    columns[column] = undefined;
    for (const [at, line] of columns.entries()) {
      if (line) edges.push({ fromColumn: at, toColumn: at, colour: line.colour });
    }
    for (const [index, parent] of parents.slice(0, parentsMax).entries()) {
      const known = columns.findIndex((line) => line?.id === parent);
      // The line to the first parent stays in the column, unless another line already leads to that parent.
      const toColumn = known === -1 ? (index === 0 ? column : freeColumn(columns)) : known;
      const line = columns[toColumn] ?? { id: parent, colour: index === 0 ? colour : nextColour() };
      columns[toColumn] = line;
      edges.push({ fromColumn: column, toColumn, colour: line.colour });
    }
    while (columns.length > 0 && !columns.at(-1)) columns.pop();
    return { column: shownColumn(column), colour, edges: shownEdges(edges) };
  });
}
