import type { Cluster } from '../../harness/cluster.ts';
import type { AbuserEntry } from '../abuse/start-abusers.ts';
import type { AbusedStage } from './abused-stage.ts';

interface AbuseRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Addresses of clients, as the gateways take them from their trusted proxy. */
const from = (number: number) => ({ 'X-Forwarded-For': `198.51.100.${number}` });

const heldRows = 'grants on held rows';

/** Returns the requests of one abuser: calls and pages with a key, from one address. */
function requestsOf(key: string, headers: Readonly<Record<string, string>>) {
  return {
    call: (method: string, args: object): AbuseRequest => {
      const body = JSON.stringify({ id: 1, api_key: key, method, args });
      return { path: '/_admin/api', method: 'POST', headers, body };
    },
    page: (path: string): AbuseRequest => ({ path: `${path}?api_key=${key}`, headers }),
  };
}

/** Requests that wrong passwords of a known and an unknown user are tried with, from one address. */
function guess(number: number): AbuseRequest {
  const headers = { ...from(number), 'Content-Type': 'application/x-www-form-urlencoded' };
  const username = number % 2 === 0 ? 'ordinary-0' : `nobody-${number}`;
  return { path: '/_admin/login', method: 'POST', headers, body: `username=${username}&password=wrong` };
}

type Repeat = (what: string, connections: number, requests: readonly AbuseRequest[], hangUpMs?: number) => AbuserEntry;

/** Users who ask for more than a share with their own keys, each from one address. */
function byUsers({ keyOf, heldNames, slowNames, users }: AbusedStage, repeat: Repeat): AbuserEntry[] {
  const grant = { userid: 'default', perm: 'repository.read' };
  const [holder, leaver] = [requestsOf(keyOf.holder, from(1)), requestsOf(keyOf.leaver, from(2))];
  const [greedy, lister] = [requestsOf(keyOf.greedy, from(3)), requestsOf(keyOf.lister, from(4))];
  const [auditor, hog] = [requestsOf(keyOf.auditor, from(5)), requestsOf(keyOf.hog, from(6))];
  const refused = requestsOf(keyOf.refused, from(11));
  const grants = heldNames.map((repoid) => holder.call('grant_user_permission', { repoid, ...grant }));
  const left = [
    leaver.call('get_changeset', { repoid: 'many-paths', revision: 'tip', with_file_list: true }),
    leaver.page('/many-paths/changeset-diff/tip'),
    leaver.page('/large/archive/tip.tar.gz'),
  ];
  const lists = [
    lister.call('get_audit_log', { limit: 1_000 }),
    lister.call('get_repos', {}),
    lister.call('get_users', {}),
  ];
  const pulls = ['large', 'many-paths'].map((repoid) => greedy.call('pull', { repoid }));
  const downloads = slowNames.map((name) => greedy.page(`/${name}/archive/tip.zip`));
  const update = { repoid: users[0]?.repository, description: 'x'.repeat(10_000) };
  return [
    repeat(heldRows, heldNames.length, grants),
    repeat('diffs and archives whose client goes', 8, left, 100),
    repeat('downloads', 64, downloads),
    repeat('pulls', 16, pulls),
    repeat('large sources', 8, [greedy.page('/large/files/tip/source.cpp')]),
    repeat('pages of the audit log and whole lists', 8, lists),
    repeat('consistency reports', 4, [auditor.call('get_consistency_report', {})]),
    repeat('differences of large blobs', 8, [hog.page('/large/changeset-diff/tip'), hog.page('/large/changeset/tip')]),
    repeat('refused updates with long arguments', 8, [refused.call('update_repo', update)]),
  ];
}

/** Names of the abusers that are to act; all unless the variable is set. */
const chosen = process.env['TRUNKLINE_TEST_ABUSERS']?.split(',');

export function isChosen(name: string): boolean {
  return chosen?.includes(name) ?? true;
}

export function nameOf({ name, what = name }: AbuserEntry): string {
  return String(what);
}

/** Groups entries by what they do. */
export function groupByAbuse(entries: readonly AbuserEntry[]): Map<string, AbuserEntry[]> {
  const groups = new Map<string, AbuserEntry[]>();
  for (const entry of entries) {
    const what = nameOf(entry);
    groups.set(what, [...(groups.get(what) ?? []), entry]);
  }
  return groups;
}

/** Returns the abusers of a soak, all of which act at once. */
export function abuserEntries({ baseUrls, databaseUrl }: Cluster, stage: AbusedStage): AbuserEntry[] {
  const { keyOf, heldNames, slowNames } = stage;
  const repeat: Repeat = (what, connections, requests, hangUpMs) => {
    const entry = { name: 'repeat', what, baseUrls, connections, requests };
    return hangUpMs === undefined ? entry : { ...entry, hangUpMs };
  };
  const paths = slowNames.map((name) => `/${name}/raw/tip/large.bin`);
  return [
    ...byUsers(stage, repeat),
    ...Array.from({ length: 12 }, (_, index) => repeat('guesses of passwords', 1, [guess(20 + index)])),
    { name: 'heldRows', what: heldRows, databaseUrl, names: heldNames },
    { name: 'drippingImports', baseUrls, connections: 16, apiKey: keyOf.dripper, headers: from(7) },
    { name: 'slowReaders', baseUrls, readersOfEach: 16, paths, headers: from(8) },
    { name: 'keyless', baseUrls, connections: 4, headers: from(9) },
    { name: 'endless', baseUrls, connections: 16, headers: from(10) },
  ];
}
