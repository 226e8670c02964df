import * as v from 'valibot';
import { defineMethod } from '../method.ts';

export const viewRights = defineMethod({
  name: 'view_rights',
  summary: 'What the caller may do beyond single repositories: for pages that offer it.',
  permission: { caller: 'any' },
  lane: 'metadata',
  access: 'read',
  args: {},
  result: v.strictObject({ create_repository: v.boolean(), fork_repository: v.boolean() }),
});
