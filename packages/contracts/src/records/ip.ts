import * as v from 'valibot';

/** Spec 2.5: the address the service sees, and the ranges a user may call from. */
export const IpRecord = v.strictObject({
  ip_addr_server: v.string(),
  user_ips: v.array(v.strictObject({ ip_addr: v.string(), ip_range: v.tuple([v.string(), v.string()]) })),
});
export type IpRecord = v.InferOutput<typeof IpRecord>;
