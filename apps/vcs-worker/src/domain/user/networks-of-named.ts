import { userIpAddresses } from '@trunkline/db';
import { sql } from 'drizzle-orm';
import { ofCallerAlone } from '../../authz/access-query.ts';

/** Query for the networks of the user whom a call names, null when there is none, and for what decides on the call. */
export const networksWithCaller = ofCallerAlone('networks_with_caller', {
  shown: sql<string[] | null>`(
    select array(select ip_addr from ${userIpAddresses} where user_id = target.id order by id)
    from users target where target.id = coalesce(${sql.placeholder('targetId')}::int,
      (select named.id from users named where named.username = ${sql.placeholder('targetName')}::text)))`,
});
