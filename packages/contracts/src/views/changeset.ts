import * as v from 'valibot';
import { required } from '../args/arg.ts';
import { defineMethod } from '../method.ts';
import { HistoryRecord } from '../methods/changesets.ts';
import { timestamp } from '../records/parts.ts';
import { BriefChangeset } from '../records/repository.ts';
import { viewPath } from './content.ts';

const { repoid, revision, path } = viewPath.args;
const pathsMax = 50;

export const viewChangeset = defineMethod({
  name: 'view_changeset',
  summary: 'Returns a changeset with its files, and the first of its parents and children.',
  permission: viewPath.permission,
  lane: viewPath.lane,
  access: 'read',
  args: { repoid, revision },
  result: v.strictObject({
    changeset: HistoryRecord,
    /** Who committed it, and when its author wrote it; null in Mercurial, which records neither. */
    committer: v.nullable(v.string()),
    authored: v.nullable(timestamp),
    parents: v.array(BriefChangeset),
    /** Null where they are not known: in git those of the newest changesets are. */
    children: v.nullable(v.array(BriefChangeset)),
  }),
});

export const viewFileSizes = defineMethod({
  name: 'view_file_sizes',
  summary: 'Returns the sizes of files of a changeset in bytes, null for what is no file.',
  permission: viewPath.permission,
  lane: viewPath.lane,
  access: 'read',
  args: {
    repoid,
    revision,
    paths: required(v.pipe(v.array(path.schema), v.maxLength(pathsMax)), `At most ${pathsMax} paths from the root`),
  },
  result: v.array(v.nullable(v.number())),
});
