import { RpcError, rpcPath } from '@trunkline/contracts';
import type { CallMetrics, Logger } from '@trunkline/runtime';
import { callRecorder, visitRecorder, type Call, type RecordCall, type RecordVisit } from './recorders.ts';
import { adminRoutes } from '../web/admin-routes.ts';
import { repositoryPages } from '../web/repository/repository-route.ts';
import type { RequestSpans } from './request-spans.ts';

/** Templates of the addresses of version control clients, by what they ask for. */
const vcsRoutes = new Map([
  ['git-refs', '/{repository}/info/refs'],
  ['git-push-refs', '/{repository}/info/refs'],
  ['git-fetch', '/{repository}/git-upload-pack'],
  ['git-push', '/{repository}/git-receive-pack'],
  ['git-lfs', '/{repository}/info/lfs'],
]);

/** Templates of the addresses of pages, by the names of the pages; the first one of a page with several. */
const pageRoutes = new Map<string, string>(
  [
    ...Object.entries(adminRoutes).map(
      ([path, { pageName }]) => [pageName, `/_admin/${path.replaceAll('*', '{id}')}`] as const,
    ),
    ...Object.entries(repositoryPages).map(([path, { pageName }]) => [pageName, `/{repository}/${path}`] as const),
  ].toReversed(),
);

function attributesOf({ requestId, method, lane }: Call) {
  return {
    'trunkline.request_id': requestId,
    'rpc.method': method ?? undefined,
    'trunkline.lane': lane ?? undefined,
  };
}

interface Recorders {
  readonly call: RecordCall;
  /** Records requests of git and Mercurial. */
  readonly vcs: RecordCall;
  readonly visit: RecordVisit;
}

/** Returns what records requests once they have been handled: in the log, in metrics and, if they are traced, in spans. */
export function createRecorders(spans: RequestSpans | null, logger: Logger, metrics: CallMetrics): Recorders {
  const [call, visit] = [callRecorder(logger, metrics), visitRecorder(logger, metrics)];
  if (!spans) return { call, vcs: call, visit };
  return {
    call(one, error, bytes) {
      const attributes = { ...attributesOf(one), 'rpc.system': 'jsonrpc' };
      spans.recordHandled({ route: rpcPath, code: error?.code ?? 'ok', attributes });
      call(one, error, bytes);
    },
    vcs(one, error, bytes) {
      const kind = String(one.sentMethod);
      const route = vcsRoutes.get(kind) ?? '/{repository}';
      const attributes = { ...attributesOf(one), 'trunkline.wire': kind };
      spans.recordHandled({ route, code: error?.code ?? 'ok', attributes });
      call(one, error, bytes);
    },
    visit(one, status) {
      const { pageName, ids, error } = one;
      const attributes = { 'trunkline.request_id': ids.requestId, 'trunkline.view': pageName };
      const code = error instanceof RpcError ? error.code : 'ok';
      spans.recordHandled({ route: pageRoutes.get(pageName) ?? null, name: pageName, code, attributes });
      visit(one, status);
    },
  };
}
