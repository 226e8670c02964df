import type { GraphRow } from './lay-out-graph.ts';

/** In pixels, as in `changeset-css.ts`. */
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
