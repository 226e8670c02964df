import { methods, parseArgs, passwordProblem, usernameProblem } from '@trunkline/contracts';
import { foldCase, generateApiKey, insertUserRows, isUniqueViolation, toStoredKey } from '@trunkline/db';
import { hashPassword } from '@trunkline/runtime';
import { RefusedError, UsageError } from '../errors.ts';
import type { AddCommand, Context, Outcome, Terminal } from '../command.ts';
import { readDatabaseConfig } from '../config.ts';
import { recordChange, withVault } from '../with-database.ts';

/** Reads a new password; who types it types it twice. */
async function readNewPassword(terminal: Terminal, username: string): Promise<string> {
  const password = await terminal.readSecret('Password: ');
  const problem = passwordProblem(password, username);
  if (problem !== undefined) throw new UsageError(`the password ${problem}`);
  if (terminal.isTyped && (await terminal.readSecret('Again: ')) !== password) {
    throw new UsageError('the two passwords differ');
  }
  return password;
}

interface Options {
  readonly email?: string;
  readonly password?: true;
}

/** Returns the arguments that `create_user` would have, checked as the API checks them. */
async function readArgs({ terminal }: Context, username: string, { email, password }: Options) {
  const problem = usernameProblem(username) ?? (foldCase(username) === 'default' ? 'it is taken' : undefined);
  if (problem !== undefined) throw new UsageError(`Invalid value for \`username\`: ${problem}`);
  const sent = { username, email: email ?? `${foldCase(username)}@localhost`, admin: true };
  const args = parseArgs(methods.create_user.args, sent);
  if (!password) return { sent, args };
  const secret = { password: await readNewPassword(terminal, username) };
  return { sent: { ...sent, password: '*****' }, args: parseArgs(methods.create_user.args, { ...sent, ...secret }) };
}

async function act(context: Context, username: string, options: Options): Promise<Outcome> {
  const config = readDatabaseConfig(context.environment);
  const { sent, args } = await readArgs(context, username, options);
  const passwordHash = args.password === null ? null : await hashPassword(args.password);
  const apiKey = generateApiKey();
  const userId = await withVault(config, (db, vault) =>
    db.transaction(async (tx) => {
      const key = toStoredKey(vault, apiKey);
      const user = { username: args.username, address: args.email.address, passwordHash, admin: true, key };
      const id = await insertUserRows(tx, user);
      await recordChange(tx, 'create_user', sent);
      return id;
    }),
  ).catch((cause: unknown) => {
    if (isUniqueViolation(cause, 'users_username_key_unique')) {
      throw new RefusedError(`user \`${username}\` already exists`, { cause });
    }
    if (!isUniqueViolation(cause, 'user_emails_email_key_unique')) throw cause;
    throw new RefusedError(`e-mail address \`${sent.email}\` is taken: name another with --email`, { cause });
  });
  return {
    text: `created the administrator \`${username}\`\napi key: ${apiKey}`,
    record: { user_id: userId, username, api_key: apiKey },
  };
}

export const createAdmin: AddCommand = (program, choose) => {
  program
    .command('create-admin')
    .description('create an administrator and print the API key')
    .argument('<USERNAME>', 'name of the new user')
    .option('--email <ADDRESS>', 'e-mail address; USERNAME@localhost when absent')
    .option(
      '--password',
      'ask for a password of 8 characters or more, or read it from standard input; without one, only the key works',
    )
    .action((username: string, options: Options) => choose((context) => act(context, username, options)));
};
