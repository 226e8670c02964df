import { sizeText, type ResultOfMethod, type Served } from '@trunkline/contracts';
import { pathTo } from '../http/path-segments.ts';
import { showAdminPage } from '../layout/admin-frame.tsx';
import type { PageRoute } from '../page-route.ts';

type ServerInfo = ResultOfMethod<Served['get_server_info']>;

const states: Record<ServerInfo['storage']['state'], string> = {
  ok: 'available',
  'no-marker': 'missing: there is no marker file, so the disk may not be mounted',
  foreign: 'foreign: it belongs to another instance',
  'read-only': 'read-only: nothing can be created or changed',
  full: 'full or nearly full',
  failing: 'failing: it does not respond correctly',
};

function shownSize(bytes: number | null): string {
  return bytes === null ? 'unknown' : sizeText(bytes);
}

/** Returns the facts about a storage, with its name unless it is the only one. */
function storageFacts(
  { name, state, free_bytes: free, total_bytes: total }: ServerInfo['storages'][number],
  _at: number,
  { length }: ServerInfo['storages'],
) {
  const of = length === 1 ? '' : ` ${name}`;
  return [
    [`Storage${of}`, states[state]],
    [`Free space${of}`, `${shownSize(free)} of ${shownSize(total)}`],
  ] as const;
}

/** Lists the repositories in which something is damaged. */
function Damaged({ found }: { found: ServerInfo['verification'] }) {
  if (!found || found.damaged === 0) return null;
  const { damaged, damaged_repositories: names } = found;
  return (
    <div class="error" role="alert">
      <p>Damaged repositories, in which something is missing or cannot be read: {damaged}.</p>
      <ul>
        {names.map((name) => (
          <li>
            <a href={pathTo(name)}>{name}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Server({ info }: { info: ServerInfo }) {
  const facts = [
    ['Trunkline', info.trunkline_version],
    ['Node.js', info.node_version],
    ['Platform', info.platform],
    ['Git', info.git_version ?? 'not responding'],
    ['Git path', info.git_path],
    ['Mercurial', info.hg_version ?? 'not responding'],
    ['Mercurial path', info.hg_path],
    ...info.storages.flatMap(storageFacts),
  ] as const;
  return (
    <>
      <p>Versions, programs and storages of the service, as reported by one worker.</p>
      <Damaged found={info.verification} />
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

/** The page of the service's versions, programs and storages, as one worker reports them. */
export const serverPage: PageRoute = {
  pageName: 'SettingsController:settings_system',
  audience: 'administrators',
  async get(visit) {
    const info = await visit.worker.call('get_server_info');
    return showAdminPage(visit, { section: 'server', children: <Server info={info} /> });
  },
};
