import type { ProcessState } from '@trunkline/contracts';
import type { ClusterState } from '@trunkline/runtime';
import { adminPath, showAdminPage } from '../layout/admin-frame.tsx';
import type { PageRoute } from '../page-route.ts';
import { shownText } from '../render/shown-text.ts';
import { AbsentProcess, ProcessPanel } from './process-panel.tsx';

const path = adminPath('cluster');
const refreshSeconds = 10;

type Role = ProcessState['role'];

const titles: Record<Role, string> = { gateway: 'Gateways', 'vcs-worker': 'Workers' };
const missingTexts: Record<ClusterState['missing'][number], string> = {
  bus: 'The bus does not answer: other processes could not be asked.',
  database: 'The database does not answer: processes that do not answer either are not listed.',
};

function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Returns what an administrator ought to look at. */
function warningsOf({ answered, unserved, missing }: ClusterState): string[] {
  const versions = [...new Set(answered.map(({ version }) => shownText(version)))].toSorted();
  return [
    ...missing.map((one) => missingTexts[one]),
    ...unserved.map((name) => `No worker that answers serves the storage ${name}.`),
    ...(versions.length > 1 ? [`Processes of different versions run: ${versions.join(', ')}.`] : []),
  ];
}

function Summary({ cluster }: { cluster: ClusterState }) {
  const { answered, absent } = cluster;
  const of = (role: Role) => answered.filter((state) => state.role === role).length;
  const calls = answered.reduce((sum, state) => sum + (state.role === 'vcs-worker' ? state.calls.count : 0), 0);
  const operations = answered.reduce((sum, state) => sum + state.operations.count, 0);
  return (
    <>
      <p>
        {counted(of('gateway'), 'gateway')} and {counted(of('vcs-worker'), 'worker')} answer
        {absent.length > 0 && (
          <strong class="bad-text">, {counted(absent.length, 'process does', 'processes do')} not</strong>
        )}
        . Workers run {counted(calls, 'call')} and{' '}
        <a href={adminPath('operations')}>{counted(operations, 'operation')}</a>.
      </p>
      {warningsOf(cluster).map((text) => (
        <p class="warning" role="note">
          {text}
        </p>
      ))}
    </>
  );
}

function Processes({ cluster, role }: { cluster: ClusterState; role: Role }) {
  const answered = cluster.answered.filter((state) => state.role === role);
  const absent = cluster.absent.filter((one) => one.role === role);
  return (
    <section aria-labelledby={role}>
      <h2 id={role}>{titles[role]}</h2>
      {absent.map(({ id }) => (
        <AbsentProcess role={role} id={id} />
      ))}
      {answered.map((state) => (
        <ProcessPanel state={state} isOwn={state.id === cluster.askedBy} />
      ))}
      {answered.length + absent.length === 0 && <p class="soft">None has answered.</p>}
    </section>
  );
}

/** The page of all gateways and workers: what each is, and what it does at the moment. */
export const clusterPage: PageRoute = {
  pageName: 'SettingsController:settings_cluster',
  audience: 'administrators',
  async get(visit) {
    const cluster = await visit.readCluster();
    const isRefreshed = visit.query.get('refresh') !== 'off';
    const children = (
      <>
        <Summary cluster={cluster} />
        {isRefreshed && (
          <p class="soft">
            This page refreshes every {refreshSeconds} seconds. <a href={`${path}?refresh=off`}>Stop refreshing</a>
          </p>
        )}
        <Processes cluster={cluster} role="gateway" />
        <Processes cluster={cluster} role="vcs-worker" />
      </>
    );
    const response = showAdminPage(visit, { section: 'cluster', children });
    if (isRefreshed) response.headers.set('Refresh', String(refreshSeconds));
    return response;
  },
};
