import type { RefRecord } from '@trunkline/contracts';
import { pathTo } from '../../http/path-segments.ts';
import { shownText } from '../../render/text/shown-text.ts';

interface RowProps {
  readonly base: string;
  readonly refName: RefRecord;
}

function Row({ base, refName: { kind, name, raw_id: rawId, closed } }: RowProps) {
  const about = <span class="visually-hidden"> of {shownText(name)}</span>;
  return (
    <tr>
      <th scope="row" class="name">
        {shownText(name)} {closed && <span class="badge">closed</span>}
      </th>
      <td>
        <a class="mono" href={`${base}/changeset/${rawId}`}>
          {rawId.slice(0, 12)}
        </a>
      </td>
      <td>
        <span class="meta">
          <a href={`${base}/files/${rawId}`}>Files{about}</a>
          {kind === 'branch' && (
            <a href={`${base}/changelog?${new URLSearchParams({ branch: name }).toString()}`}>Changelog{about}</a>
          )}
        </span>
      </td>
    </tr>
  );
}

/** Renders references with the changesets that they name. */
export function RefsList({ repository, refs }: { repository: string; refs: readonly RefRecord[] }) {
  const base = pathTo(repository);
  return (
    <div class="scroll">
      <table class="ref-list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Changeset</th>
            <th scope="col">There</th>
          </tr>
        </thead>
        <tbody>
          {refs.map((refName) => (
            <Row base={base} refName={refName} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
