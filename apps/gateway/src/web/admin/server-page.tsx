import type { ResultOfOperation, Served } from '@trunkline/contracts';
import { showAdminPage } from '../layout/admin-frame.tsx';
import type { PageRoute } from '../page-route.ts';

type ServerInfo = ResultOfOperation<Served['get_server_info']>;

function Server({ info }: { info: ServerInfo }) {
  const facts = [
    ['Trunkline', info.trunkline_version],
    ['Node.js', info.node_version],
    ['Platform', info.platform],
    ['Git', info.git_version ?? 'does not answer'],
    ['Git is at', info.git_path],
    ['Mercurial', info.hg_version ?? 'does not answer'],
    ['Mercurial is at', info.hg_path],
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

/** Which versions of everything run. */
export const serverPage: PageRoute = {
  view: 'SettingsController:settings_system',
  audience: 'administrators',
  async get(visit) {
    const info = await visit.worker.call('get_server_info');
    return showAdminPage(visit, { section: 'server', children: <Server info={info} /> });
  },
};
