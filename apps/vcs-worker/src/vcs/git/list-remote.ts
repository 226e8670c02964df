import type { Remote } from '../remote/parse-remote.ts';
import { RemoteError } from '../remote/remote-error.ts';
import { branchPrefix } from './default-branch.ts';
import { discoverRefs, type DiscoveryOptions } from './discover-refs.ts';
import { referenceNameProblem } from './protocol/reference-rules.ts';
import { tagPrefix, type References } from './pull-plan.ts';
import type { RunWithRemote } from './with-remote.ts';

/** How a remote is asked: isomorphic-git asks, and where it cannot, native git. */
export interface Asking {
  readonly options: DiscoveryOptions;
  readonly remote: Remote;
  readonly signal: AbortSignal;
  readonly run: RunWithRemote;
}

const listHead = ['ls-remote', '--symref', '--end-of-options'];
const listReferences = ['ls-remote', '--heads', '--tags', '--refs', '--end-of-options'];

/** Returns whether native git, with wider limits and support for more servers, may succeed where discovery failed. */
function isWorthAskingGit(error: unknown): boolean {
  return !(error instanceof RemoteError) || error.failure === 'broken remote';
}

/** Lists references; returns null when native git has to ask the remote itself, or may succeed where discovery failed. */
async function tryDiscover({ options, remote, signal }: Asking, prefix: string) {
  try {
    return await discoverRefs(options, remote, prefix, signal);
  } catch (error) {
    if (signal.aborted || !isWorthAskingGit(error)) throw error;
    return null;
  }
}

/** Finds the branch to which a remote's HEAD leads; null when it leads to none, or to one that is not there. */
export async function remoteHead(asking: Asking, path: string): Promise<string | null> {
  const { run, remote } = asking;
  const found = await tryDiscover(asking, 'HEAD');
  const target = found
    ? found.find(({ ref }) => ref === 'HEAD')?.target
    : /^ref: (\S+)\tHEAD$/m.exec((await run(path, [...listHead, remote.url, 'HEAD'])).toString())?.[1];
  return target?.startsWith(branchPrefix) === true ? target.slice(branchPrefix.length) : null;
}

/** Returns whether a name, in bytes, is one that git creates. */
function isCreatable(name: string): boolean {
  const text = Buffer.from(name, 'latin1').toString('utf8');
  return referenceNameProblem(text.includes('\ufffd') ? name : text) === null;
}

/** Lists the branches and tags of a remote. */
export async function remoteReferences(asking: Asking, path: string): Promise<References> {
  const { run, remote } = asking;
  const [heads, tags] = await Promise.all([tryDiscover(asking, branchPrefix), tryDiscover(asking, tagPrefix)]);
  const discovered = heads && tags && [...heads, ...tags];
  const lines = discovered
    ? discovered.map(({ oid, ref }) => `${oid} ${Buffer.from(ref).toString('latin1')}`)
    : (await run(path, [...listReferences, remote.url])).toString('latin1').split('\n');
  const named = lines.map((line) => [line.slice(41), line.slice(0, 40)] as const);
  return new Map(named.filter(([name]) => isCreatable(name)));
}
