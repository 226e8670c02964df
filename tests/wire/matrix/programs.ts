import * as v from 'valibot';
import { toolCommand } from '../../harness/tool-command.ts';

const Program = v.object({
  name: v.string(),
  /** What it is: git, hg, or a driver in `tests/wire/matrix/drivers`. */
  kind: v.picklist(['git', 'hg', 'driver']),
  words: v.array(v.string()),
  /** Whether a driver clones a part of the history. */
  shallow: v.optional(v.boolean(), false),
  /** Whether it is that of this machine, with which many tests run. */
  own: v.optional(v.boolean(), false),
});

/** A client program, with the words that start it. */
export type Program = v.InferOutput<typeof Program>;

const machine: readonly Program[] = [
  {
    name: 'git of this machine',
    kind: 'git',
    words: toolCommand('TRUNKLINE_GIT_COMMAND', 'git'),
    shallow: true,
    own: true,
  },
  {
    name: 'hg of this machine',
    kind: 'hg',
    words: toolCommand('TRUNKLINE_HG_COMMAND', 'hg'),
    shallow: false,
    own: true,
  },
];

/** Clients of other releases and other implementations, which `npm test` has fetched with TRUNKLINE_TEST_CLIENTS=all. */
const fetched = v.parse(v.array(Program), JSON.parse(process.env['TRUNKLINE_TEST_CLIENT_PROGRAMS'] ?? '[]'));

const all = [...machine, ...fetched];

export const gitPrograms = all.filter(({ kind }) => kind === 'git');
export const hgPrograms = all.filter(({ kind }) => kind === 'hg');
export const drivers = all.filter(({ kind }) => kind === 'driver');
