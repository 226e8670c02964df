import type { Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';

export type LogLine = Readonly<Record<string, unknown>>;

/** Waits until at least `count` log lines of gateways and workers pass the filter, and returns them. */
export async function logLines(
  cluster: Pick<Cluster, 'logs'>,
  filter: (line: LogLine) => boolean,
  count: number,
): Promise<LogLine[]> {
  const look = async () => {
    const lines = (await cluster.logs()).split('\n').slice(0, -1);
    return lines.map((line): LogLine => JSON.parse(line)).filter(filter);
  };
  return eventually(look, (found) => found.length >= count);
}
