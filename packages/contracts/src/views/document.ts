import * as v from 'valibot';
import { defineMethod } from '../method.ts';
import { viewPath } from './content.ts';

export const viewDocument = defineMethod({
  name: 'view_document',
  summary: 'Returns a file of reStructuredText as HTML, which is as untrusted as the file.',
  permission: viewPath.permission,
  lane: viewPath.lane,
  access: 'read',
  args: viewPath.args,
  /** Null where the worker cannot render the file: it is too large, or takes too long, or docutils is not installed. */
  result: v.strictObject({ html: v.nullable(v.string()) }),
});
