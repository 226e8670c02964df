import type { OperationRecord } from '@trunkline/contracts';
import { RefusalText, SelectField } from '../../form/fields.tsx';
import { rerenderOnError, type Refusal } from '../../form/form-route.ts';
import { adminPath, showAdminPage } from '../../layout/admin-frame.tsx';
import type { PageRoute } from '../../page-route.ts';
import { Pager, sentQuery } from '../../layout/list-controls.tsx';
import type { Visit } from '../../visit.ts';
import { OperationList } from './operation-list.tsx';

const states = { '': 'any', running: 'running', done: 'done', failed: 'failed' };

interface Props {
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
}

function OperationFilter({ path, filter }: Props) {
  return (
    <form method="get" action={path} class="inline" role="search">
      <SelectField label="State" name="state" value={filter['state'] ?? ''} choices={states} />
      <label>
        Username
        <input name="userid" value={filter['userid'] ?? ''} maxlength={255} autocomplete="off" spellcheck={false} />
      </label>
      <button class="plain">Filter</button>
      {Object.keys(filter).length > 0 && <a href={path}>Show all</a>}
    </form>
  );
}

const path = adminPath('operations');
const limit = 50;
const refreshSeconds = 5;

interface Found {
  readonly running: readonly OperationRecord[];
  readonly ended: readonly OperationRecord[];
  readonly next: string | null;
  /** Present names of repositories by their ids. */
  readonly names: ReadonlyMap<number, string>;
  /** Ids of running deletions whose storage is away. */
  readonly stranded: ReadonlySet<string>;
}

const nothing: Found = { running: [], ended: [], next: null, names: new Map(), stranded: new Set() };

async function readNames({ worker }: Visit, operations: readonly OperationRecord[]): Promise<Found['names']> {
  const ids = new Set(operations.flatMap(({ repo_id: id }) => (id === null ? [] : [id])));
  if (ids.size === 0) return new Map();
  const { repositories } = await worker.call('list_repository_names', { ids: [...ids] });
  return new Map(repositories.map(({ repo_id: id, repo_name: name }) => [id, name]));
}

async function readStranded({ worker }: Visit, running: readonly OperationRecord[]): Promise<Found['stranded']> {
  const ids = running.flatMap(({ kind, operation_id: id }) => (kind === 'delete' ? [id] : []));
  if (ids.length === 0) return new Set();
  return new Set((await worker.call('list_stranded_operations', { ids })).operation_ids);
}

async function find(visit: Visit): Promise<Found> {
  const { worker, query } = visit;
  const filter = sentQuery(query, ['state', 'userid']);
  const cursor = query.get('cursor') || null;
  // The first page also lists running operations that began before the newest `limit` operations.
  const [page, allRunning] = await Promise.all([
    worker.call('list_operations', { ...filter, limit, cursor }),
    filter['state'] === undefined && cursor === null
      ? worker.call('list_operations', { ...filter, state: 'running', limit })
      : null,
  ]);
  const running = allRunning ?? page.filter(({ state }) => state === 'running');
  return {
    running,
    ended: page.filter(({ state }) => state !== 'running'),
    next: page.length === limit ? (page.at(-1)?.operation_id ?? null) : null,
    names: await readNames(visit, [...page, ...running]),
    stranded: await readStranded(visit, running),
  };
}

function Operations({ visit: { query }, found, refusal }: { visit: Visit; found: Found; refusal: Refusal | null }) {
  const { running, ended, next, names, stranded } = found;
  const filter = sentQuery(query, ['state', 'userid']);
  const isRefreshed = running.length > 0 && query.get('refresh') !== 'off';
  const stop = new URLSearchParams({ ...sentQuery(query, ['state', 'userid', 'cursor']), refresh: 'off' });
  return (
    <>
      <RefusalText refusal={refusal} />
      <OperationFilter path={path} filter={filter} />
      {isRefreshed && (
        <p class="soft">
          This page refreshes every {refreshSeconds} seconds. <a href={`${path}?${stop.toString()}`}>Stop refreshing</a>
        </p>
      )}
      {running.length > 0 && (
        <section aria-labelledby="running">
          <h2 id="running">Running</h2>
          <OperationList operations={running} names={names} stranded={stranded} />
        </section>
      )}
      {ended.length > 0 && (
        <section aria-labelledby="ended">
          <h2 id="ended">Ended</h2>
          <OperationList operations={ended} names={names} stranded={stranded} />
        </section>
      )}
      {running.length + ended.length === 0 && !refusal && <p class="soft">No operations found.</p>}
      <Pager cursor={query.get('cursor') || null} next={next} path={path} query={filter} />
    </>
  );
}

async function show(visit: Visit, found: Found, refusal: Refusal | null): Promise<Response> {
  const children = <Operations visit={visit} found={found} refusal={refusal} />;
  const response = showAdminPage(visit, { section: 'operations', status: refusal?.status ?? 200, children });
  if (found.running.length > 0 && visit.query.get('refresh') !== 'off') {
    response.headers.set('Refresh', String(refreshSeconds));
  }
  return response;
}

/** The page of running and ended operations, reloaded every `refreshSeconds` while an operation runs. */
export const operationsPage: PageRoute = {
  pageName: 'OperationsController:index',
  audience: 'administrators',
  get: (visit) =>
    rerenderOnError(
      async () => show(visit, await find(visit), null),
      (refusal) => show(visit, nothing, refusal),
    ),
};
