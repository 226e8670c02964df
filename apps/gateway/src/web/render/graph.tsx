export interface GraphNode {
  readonly id: string;
  readonly parents: readonly string[];
}

interface GraphEdge {
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

/** The numbers of columns and colours that `repository-css.ts` and `highlight-css.ts` have classes for. */
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

/** In pixels, as in `repository-css.ts`. */
const columnWidth = 14;

function centre(column: number): number {
  return column * columnWidth + columnWidth / 2;
}

interface GraphSvgProps {
  readonly row: GraphRow;
  /** The row above, whose lines end at this row. */
  readonly previous?: GraphRow | undefined;
  /** The number of columns that all rows of the page have. */
  readonly columns: number;
}

/** Returns the number of columns that the rows of a page need. */
export function graphColumns(rows: readonly GraphRow[]): number {
  const columns = rows.flatMap(({ column, edges }) => [column, ...edges.map(({ toColumn }) => toColumn)]);
  return Math.max(0, ...columns) + 1;
}

/** Renders the graph's cell of one changeset. Heights are relative, so that the cell fits a row of any height. */
export function GraphSvg({ row, previous, columns }: GraphSvgProps) {
  const arriving = new Map(previous?.edges.map(({ toColumn, colour }) => [toColumn, colour]));
  return (
    <svg class="graph" width={columns * columnWidth} height="100%" aria-hidden="true" focusable="false">
      {[...arriving].map(([column, colour]) => (
        <line class={`graph-${colour}`} x1={centre(column)} y1="0" x2={centre(column)} y2="50%" />
      ))}
      {row.edges.map(({ fromColumn, toColumn, colour }) => (
        <line class={`graph-${colour}`} x1={centre(fromColumn)} y1="50%" x2={centre(toColumn)} y2="100%" />
      ))}
      <circle class={`graph-${row.colour}`} cx={centre(row.column)} cy="50%" r="4" />
    </svg>
  );
}
