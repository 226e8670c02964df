import { commandOf, showFigure, type Figure, type Run } from './figures.ts';

/** A figure that compares the service with something else, or two figures of which the first one is divided. */
interface Multiple {
  readonly shown: string;
  readonly than: string;
  readonly file: string;
  readonly line: string;
  readonly figure: string | readonly [string, string];
}

const kallithea = 'calls a second, of those of Kallithea 0.7.99';
const reach = (shown: string, line: string): Multiple => ({
  shown,
  than: kallithea,
  file: 'reach.bench.ts',
  line: `${line}, warm, 32 connections`,
  figure: 'multiple',
});
/** Processor time against that of another server of the same bytes. */
const server = (shown: string, than: string, file: string, line: string): Multiple => ({
  shown,
  than: `processor time, of that of ${than}`,
  file,
  line: `${line}, Trunkline / ${than}`,
  figure: 'CPU',
});
const echo = (shown: string, line: string): Multiple => ({
  shown,
  than: 'processor time, of that of a bare echo',
  file: 'calls.bench.ts',
  line,
  figure: 'all / echo',
});
const backend = 'git http-backend';

const multiples: readonly Multiple[] = [
  reach('`get_repo`', 'get_repo'),
  reach('`get_user`, 1,000 permissions', 'get_user, 1,000 permissions'),
  reach('`get_repo_nodes`, 5,050 files of git', 'get_repo_nodes, 5,050 of git'),
  reach('`get_repo_nodes`, 5,050 files of Mercurial', 'get_repo_nodes, 5,050 of hg'),
  reach('`get_repos`, all of 1,000', 'get_repos, all 1,000'),
  server('first clone by git', backend, 'clones-git.bench.ts', 'one clone by git, cold'),
  server('third clone by git', backend, 'clones-git.bench.ts', 'one clone by git, warm'),
  server('100 clones at once by git', backend, 'clones-git.bench.ts', '100 clones at once by git'),
  server('first clone by Mercurial', 'hgweb', 'clones-hg.bench.ts', 'one clone by hg, cold'),
  server('16 clones at once by Mercurial', 'hgweb', 'clones-hg.bench.ts', '16 clones at once by hg'),
  server('push of 100 MB by git', backend, 'push.bench.ts', 'large pushes'),
  {
    shown: 'push of one commit by git',
    than: `time, of that of ${backend}`,
    file: 'push.bench.ts',
    line: 'small pushes',
    figure: ['Trunkline p50 ms', 'git http-backend p50 ms'],
  },
  {
    shown: 'difference of Mercurial',
    than: 'time, of that of hg in a process of its own',
    file: 'content-hg.bench.ts',
    line: 'difference in a Mercurial repository',
    figure: 'ratio',
  },
  echo('`test`, which does nothing', 'test (no-op)'),
  echo('`get_repo`', 'get_repo'),
  echo('file of 10 KB', 'file of 10 KB'),
  echo('`create_repo` of git', 'create_repo, git'),
];

const numberOf = (figure: Figure) => (typeof figure === 'number' ? figure : figure.median);

function figureOf({ lines }: Run, { line, figure }: Multiple): Figure | undefined {
  const figures = Object.assign({}, ...lines.filter(({ what }) => what === line).map((one) => one.figures));
  if (typeof figure === 'string') return figures[figure];
  const [one, other] = figure.map((name) => figures[name]);
  return one === undefined || other === undefined ? undefined : numberOf(one) / numberOf(other);
}

/** Renders the table of what was measured against something else, with the command of each figure. */
export function renderMultiples(runs: readonly Run[]): string {
  const rows = multiples.flatMap((one) => {
    const run = runs.find(({ file }) => file === one.file);
    const figure = run && figureOf(run, one);
    if (!run || figure === undefined) return [];
    return [`| ${one.shown} | ${one.than} | ${showFigure(figure)} | \`${commandOf(run)}\` |`];
  });
  return ['| what | compared with | multiple | command |', '|---|---|---:|---|', ...rows].join('\n');
}
