export interface GraphNode {
  readonly id: string;
  readonly parents: readonly string[];
}

export interface GraphEdge {
  readonly fromColumn: number;
  readonly toColumn: number;
  /** 0 to 7. */
  readonly colour: number;
}

export interface GraphRow {
  readonly column: number;
  readonly colour: number;
  /** Lines from this row to the next. */
  readonly edges: readonly GraphEdge[];
}

const columnsMax = 12;
const coloursMax = 8;
const parentsMax = 64;

interface Lane {
  /** The changeset that the line leads to. */
  readonly id: string;
  readonly colour: number;
}

type Lanes = (Lane | undefined)[];

function freeColumn(lanes: Lanes): number {
  const free = lanes.indexOf(undefined);
  return free === -1 ? lanes.length : free;
}

/** Columns beyond this number share the last one. */
function shownColumn(column: number): number {
  return Math.min(column, columnsMax - 1);
}

function shownEdges(edges: readonly GraphEdge[]): GraphEdge[] {
  const shown = new Map<string, GraphEdge>();
  for (const { fromColumn, toColumn, colour } of edges) {
    const edge = { fromColumn: shownColumn(fromColumn), toColumn: shownColumn(toColumn), colour };
    const place = `${edge.fromColumn} ${edge.toColumn}`;
    if (!shown.has(place)) shown.set(place, edge);
  }
  return [...shown.values()];
}

/**
 * Columns and lines beside a page of changesets, children before parents. Each line keeps its column until its
 * changeset comes; lines to parents on later pages go on to the end.
 */
export function layOutGraph(nodes: readonly GraphNode[]): GraphRow[] {
  const lanes: Lanes = [];
  let coloursUsed = 0;
  const nextColour = () => coloursUsed++ % coloursMax;

  return nodes.map(({ id, parents }) => {
    const awaited = lanes.findIndex((lane) => lane?.id === id);
    const column = awaited === -1 ? freeColumn(lanes) : awaited;
    const colour = lanes[column]?.colour ?? nextColour();
    const edges: GraphEdge[] = [];

    lanes[column] = undefined;
    for (const [lane, line] of lanes.entries()) {
      if (line) edges.push({ fromColumn: lane, toColumn: lane, colour: line.colour });
    }
    for (const [index, parent] of parents.slice(0, parentsMax).entries()) {
      const known = lanes.findIndex((lane) => lane?.id === parent);
      // The first parent goes on in the column, unless another line leads there already.
      const toColumn = known === -1 ? (index === 0 ? column : freeColumn(lanes)) : known;
      const line = lanes[toColumn] ?? { id: parent, colour: index === 0 ? colour : nextColour() };
      lanes[toColumn] = line;
      edges.push({ fromColumn: column, toColumn, colour: line.colour });
    }
    while (lanes.length > 0 && !lanes.at(-1)) lanes.pop();
    return { column: shownColumn(column), colour, edges: shownEdges(edges) };
  });
}
