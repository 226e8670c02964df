import { Argument } from 'commander';
import type { AddCommand } from '../command.ts';
import type { ImportCommandOptions } from '../import/run-import.ts';

export const importKallithea: AddCommand = (program, choose) => {
  program
    .command('import')
    .description('import users, groups, rights and repositories of Kallithea 0.3 to 0.7 or RhodeCode 1.7')
    .addArgument(new Argument('<KIND>', 'the program').choices(['kallithea', 'rhodecode']))
    .argument('<DATABASE>', 'its SQLite file, or the URL of its Postgres database')
    .argument('<REPOSITORIES>', 'its directory of repositories')
    .option('--dry-run', 'write nothing, and report what an import would do')
    .option('--adopt', 'take repositories over where they lie, in a storage, instead of copying them')
    .option('--storage <NAME>', 'storage for the repositories; needed where the environment has several')
    .option('--weak-keys', 'take on API keys of less than 160 bits, too')
    .option('--time-zone <ZONE>', 'time zone of the server on which the program ran; that of this machine when absent')
    .option('--wait <SECONDS>', 'how long to wait for workers while none of them adopts a repository', '60')
    .action((kind: string, database: string, repositories: string, options: ImportCommandOptions) =>
      choose(async (context) => {
        // Loaded only when it is called: the import is nearly half of this program.
        const { runImport } = await import('../import/run-import.ts');
        return runImport(context, { kind, database, repositories }, options);
      }),
    );
};
