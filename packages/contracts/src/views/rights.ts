import * as v from 'valibot';
import { defineMethod } from '../method.ts';

export const viewRights = defineMethod({
  name: 'view_rights',
  summary: 'Returns the global permissions of the caller, for pages that offer the corresponding actions.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: v.strictObject({ create_repository: v.boolean(), fork_repository: v.boolean() }),
});
