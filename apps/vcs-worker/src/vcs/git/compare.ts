import type { Comparison, ComparedPair, ComparisonQuery } from '../backend.ts';
import { alternateVariable, childEnvironment } from '../process/child-environment.ts';
import { toolFailure } from '../process/tool-failure.ts';
import { readGitChangesets } from './git-log.ts';
import type { HistoryTools } from './resolve-revision.ts';

/** Returns the environment in which git finds both commits; absent where that of all reads does. */
function environmentOf({ fromPath }: ComparedPair): NodeJS.ProcessEnv | undefined {
  return fromPath === null ? undefined : { ...childEnvironment(), ...alternateVariable(fromPath) };
}

export async function readMergeBase(
  { git }: Pick<HistoryTools, 'git'>,
  path: string,
  pair: ComparedPair,
): Promise<string | null> {
  const env = environmentOf(pair);
  const args = ['merge-base', pair.from, pair.to];
  const { exitCode, stdout, stderr } = await git.tryRun(path, args, { mayBeLong: true, ...(env && { env }) });
  if (exitCode === 0) return stdout.toString('latin1').trim();
  // Of several common ancestors git prints one, and of none nothing.
  if (exitCode === 1) return null;
  throw toolFailure(`git merge-base ended with ${exitCode}`, stderr);
}

/** Compares two commits by four processes at most, whose work grows with what only one of them has. */
export async function compareGit(tools: HistoryTools, path: string, query: ComparisonQuery): Promise<Comparison> {
  const { from, to, limit, skip } = query;
  const env = environmentOf(query);
  const counts = await tools.walk(path, ['--left-right', '--count', `${from}...${to}`], env);
  const [behind = 0, ahead = 0] = counts.toString('latin1').trim().split('\t').map(Number);
  const isDiverged = ahead > 0 && behind > 0;
  const base = isDiverged ? await readMergeBase(tools, path, query) : ahead > 0 ? from : to;
  const page = ['--date-order', `--max-count=${limit}`, `--skip=${skip}`, to, '--not', from];
  const ids = ahead > skip ? (await tools.walk(path, page, env)).toString('latin1').split('\n').filter(Boolean) : [];
  return { base, ahead, behind, changesets: await readGitChangesets(tools, path, ids) };
}
