import * as v from 'valibot';

const Body = v.object({ missing: v.array(v.string()), unserved: v.nullish(v.array(v.string())) });

export interface FoundReadiness extends v.InferOutput<typeof Body> {
  readonly status: number;
}

/** Requests `/readyz` of a gateway, or of the metrics server of a worker. */
export async function readReadiness(origin: string): Promise<FoundReadiness> {
  const response = await fetch(new URL('/readyz', origin));
  return { status: response.status, ...v.parse(Body, await response.json()) };
}
