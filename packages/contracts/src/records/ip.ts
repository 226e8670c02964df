import * as v from 'valibot';

/** Spec 2.5: the client's IP address as the service sees it, and the address ranges from which a user may call. */
export const IpRecord = v.strictObject({
  ip_addr_server: v.string(),
  user_ips: v.array(v.strictObject({ ip_addr: v.string(), ip_range: v.tuple([v.string(), v.string()]) })),
});
export type IpRecord = v.InferOutput<typeof IpRecord>;
