import type { PlantedTree } from './plant-git.ts';
import type { PlantedManifest } from './plant-hg.ts';

const x = { file: 'x' };
const outside = { link: '/tmp' };
const directory = { tree: [['x', x]] } as const;

interface Hostile {
  /** Entries of the root tree object; names may contain slashes. */
  readonly git?: PlantedTree;
  /** Entries of the manifest, with names from the root. */
  readonly hg?: PlantedManifest;
}

/** Trees that would write outside the directory of an archive when an archive of any format is unpacked. */
export const hostileTrees: Readonly<Record<string, Hostile>> = {
  'a link and a directory of one name': {
    git: [
      ['a', outside],
      ['a', directory],
    ],
    hg: [
      ['a', outside],
      ['a/x', x],
    ],
  },
  'a link, names between, and a directory of its name': {
    git: [
      ['a', outside],
      ['a-b', x],
      ['a.c', x],
      ['a', directory],
    ],
    hg: [
      ['a', outside],
      ['a-b', x],
      ['a.c', x],
      ['a/x', x],
    ],
  },
  'a file and a directory of one name': {
    git: [
      ['a', x],
      ['a', directory],
    ],
    hg: [
      ['a', x],
      ['a/x', x],
    ],
  },
  'a link and a file of one name': {
    git: [
      ['a', outside],
      ['a', x],
    ],
  },
  'a submodule and a directory of one name': {
    git: [
      ['a', { submodule: '1'.repeat(40) }],
      ['a', directory],
    ],
  },
  'a directory twice, first with a link': {
    git: [
      ['a', { tree: [['l', outside]] }],
      ['a', { tree: [['l', directory]] }],
    ],
  },
  'a link deep inside with a file below it': {
    git: [
      [
        'a',
        {
          tree: [
            [
              'b',
              {
                tree: [
                  ['l', outside],
                  ['l', directory],
                ],
              },
            ],
          ],
        },
      ],
    ],
    hg: [
      ['a/b/l', outside],
      ['a/b/l/x', x],
    ],
  },
  'a link and, out of order, a directory of its name': {
    git: [
      ['b', outside],
      ['a', x],
      ['b', directory],
    ],
  },
  'a name that leads up': { git: [['..', directory]], hg: [['../x', x]] },
  'a name that leads up further on': { git: [['a', { tree: [['..', directory]] }]], hg: [['a/../../x', x]] },
  'a name that leads up, in one entry': { git: [['a/../../x', x]] },
  'an absolute name': { git: [['/etc/x', x]], hg: [['/etc/x', x]] },
  'a name that leads up on Windows': { git: [['..\\..\\evil.bat', x]], hg: [['..\\..\\evil.bat', x]] },
  'a name that leads up on Windows, in two entries': { git: [['a', { tree: [['..\\x', x]] }]], hg: [['a/..\\x', x]] },
  'its own kind of metadata': { git: [['.git', directory]], hg: [['sub/.HG/hgrc', x]] },
};

/** Trees whose names have another meaning in a zip only. */
export const hostileInZip: Readonly<Record<string, Required<Hostile>>> = {
  'a drive': { git: [['C:\\evil.bat', x]], hg: [['C:\\evil.bat', x]] },
  'the current directory of a drive': { git: [['a', { tree: [['c:evil', x]] }]], hg: [['a/c:evil', x]] },
  'a backslash': { git: [['dev-\\x2d.swap', x]], hg: [['dev-\\x2d.swap', x]] },
};

/** A tree that only looks dangerous: unpacking writes its entries unchanged, inside the directory of the archive. */
export const harmlessTree = {
  git: [
    ['...', x],
    ['Name', x],
    ['a', outside],
    ['a-b', x],
    ['a.c', x],
    [
      'dir',
      {
        tree: [
          ['NAME', x],
          ['link', { link: '../../../x' }],
          ['name', x],
        ],
      },
    ],
    ['name', x],
    ['sub..', x],
  ],
  hg: [
    ['...', x],
    ['Name', x],
    ['a', outside],
    ['a-b', x],
    ['a.c', x],
    ['dir/NAME', x],
    ['dir/link', { link: '../../../x' }],
    ['dir/name', x],
    ['name', x],
    ['sub..', x],
  ],
} as const satisfies Required<Hostile>;

/** The names of the files and links of `harmlessTree`. */
export const harmlessNames: readonly string[] = harmlessTree.hg.map(([name]) => name);
