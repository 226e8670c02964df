import type { Cluster } from '../../harness/cluster.ts';

const figureLine = /^trunkline_lane_(slots_busy|calls_waiting)\{.*?lane="([^"]+)".*?\} (\d+)$/gm;
const nameOf = { slots_busy: 'slots in use', calls_waiting: 'calls that await a slot' } as const;

/** Returns whether a figure of a sample is one of `sampleSlots`. */
export function isOfSlots(name: string): boolean {
  return Object.values(nameOf).some((end) => name.endsWith(end));
}

/** Adds up the lanes' slots that are in use, and the calls that await one, as all workers report them. */
export async function sampleSlots({ metricsUrls, gateways }: Cluster): Promise<Readonly<Record<string, number>>> {
  const sums: Record<string, number> = {};
  const texts = metricsUrls.slice(gateways.length).map(async (url) => (await fetch(url)).text());
  for (const text of await Promise.all(texts)) {
    for (const [, figure, lane, value] of text.matchAll(figureLine)) {
      const name = `${lane} ${nameOf[figure as keyof typeof nameOf]}`;
      sums[name] = (sums[name] ?? 0) + Number(value);
    }
  }
  if (Object.keys(sums).length === 0) throw new Error('no worker reports slots');
  return sums;
}
