import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { showAdminPage } from '../layout/admin-frame.tsx';
import type { PageRoute } from '../page-route.ts';

type ServerInfo = ResultOfMethod<Served['get_server_info']>;

const states: Record<ServerInfo['storage']['state'], string> = {
  ok: 'well',
  'no-marker': 'not there: its marker is missing, perhaps the disk is not mounted',
  foreign: 'that of another instance',
  'read-only': 'read-only: nothing can be made or changed',
  full: 'full, or nearly so',
  failing: 'failing: it does not answer as it should',
};

function shownSize(bytes: number | null): string {
  return bytes === null ? 'unknown' : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

function Server({ info }: { info: ServerInfo }) {
  const facts = [
    ['Trunkline', info.trunkline_version],
    ['Node.js', info.node_version],
    ['Platform', info.platform],
    ['Git', info.git_version ?? 'does not answer'],
    ['Git is at', info.git_path],
    ['Mercurial', info.hg_version ?? 'does not answer'],
    ['Mercurial is at', info.hg_path],
    ['The storage is', states[info.storage.state]],
    ['Free in the storage', `${shownSize(info.storage.free_bytes)} of ${shownSize(info.storage.total_bytes)}`],
  ] as const;
  return (
    <>
      <p>What runs the service, as one worker sees it.</p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      <h2>Libraries</h2>
      <table class="modules">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Version</th>
          </tr>
        </thead>
        <tbody>
          {info.modules.map(([name, version]) => (
            <tr>
              <td>{name}</td>
              <td>{version}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Versions, storage and settings of the service. */
export const serverPage: PageRoute = {
  view: 'SettingsController:settings_system',
  audience: 'administrators',
  async get(visit) {
    const info = await visit.worker.call('get_server_info');
    return showAdminPage(visit, { section: 'server', children: <Server info={info} /> });
  },
};
