import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashCompletion } from './bash.ts';
import { completionModel } from './completion-model.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const bin = fileURLToPath(new URL('../../bin/service-api.js', import.meta.url));

/** What each shell is asked to complete, and what it is to offer. */
const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
  [
    'service-api get_repo_',
    ['get_repo_diff', 'get_repo_file', 'get_repo_group', 'get_repo_groups', 'get_repo_nodes', 'get_repo_refs'],
  ],
  ['service-api create_repo clone', ['clone_uri:']],
  ['service-api create_repo repo_type:', ['repo_type:git', 'repo_type:hg']],
  ['service-api --apihost http://h:1 --apikey=x create_repo repo_name:a/b private:t', ['private:true']],
  ['service-api update_storage state:l', ['state:lost']],
  ['service-api grant_user_permission perm:repository.w', ['perm:repository.write']],
  ['service-api revoke_users_group_permission usersg', ['usersgroupid:']],
  ['service-api nosuch ', []],
  ['service-api --fail', ['--fail-on-null']],
  ['service-api --format=', ['--format=json', '--format=pretty', '--format=table']],
  ['service-api --format j', ['json']],
  ['service-api --profile ', ['home', 'work']],
  ['service-api get_repo repoid=@val', ['repoid=@value.txt']],
  ['service-api --config val', ['value.txt']],
  ['service-api completion ', ['bash', 'fish', 'zsh']],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-api-'));
  await mkdir(join(folder, '.config'));
  await writeFile(join(folder, '.config/trunkline'), '{"profiles":{"work":{},"home":{}}}');
  await writeFile(join(folder, 'value.txt'), '');
  await writeFile(join(folder, 'service-api'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  await chmod(join(folder, 'service-api'), 0o755);
  await writeFile(join(folder, 'lines'), cases.map(([line]) => `${line}\n`).join(''));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes files, runs a shell beside them, and returns the lines that it prints. */
async function runShell(command: readonly string[], files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const [program = '', ...args] = command;
  const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env['PATH']}`, TERM: 'xterm' };
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder, env, timeout: 55_000 });
  expect(stderr).toBe('');
  return stdout.split('\n');
}

/** Returns what was offered for each line: it follows a line `>`. */
function offeredIn(output: readonly string[]): string[][] {
  const [, ...answers] = output.join('\n').split('>\n');
  return answers.map((answer) => answer.split('\n').filter(Boolean).toSorted());
}

const expected = cases.map(([, offered]) => offered);

/** Reads the lines from the file `lines` in bash, and completes them as Readline does. */
const bashDriver = `source completion.bash
complete -p service-api
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=\${#line} COMPREPLY=()
  _service_api
  echo '>'
  # Readline replaces what follows the last colon or equals sign.
  word=\${line##* } part=\${line##*[ :=]}
  for reply in "\${COMPREPLY[@]}"; do echo "\${word%"$part"}$reply"; done
done < lines
`;

const fishDriver = `source completion.fish
while read -l line
  echo '>'
  complete -C "$line" | string replace -r '\\t.*' ''
end < lines
true
`;

/** The interactive zsh: on Control-T it completes the file `line`, and writes to the file `offered` what is offered. */
const zshInteractive = `PROMPT='' RPROMPT=''
autoload -Uz compinit
compinit -u -D
source completion.zsh
compadd() {
  if [[ " \${@[1,(i)(-|--)]} " == *' -'(O|A|D)' '* ]]; then
    builtin compadd "$@"
    return
  fi
  local -a matching
  builtin compadd -A matching "$@"
  local one
  for one in $matching; do print -r -- "$IPREFIX$one" >> offered; done
  builtin compadd "$@"
}
complete-quietly() {
  _main_complete
  compstate[insert]='' compstate[list]=''
}
zle -C complete-quietly complete-word complete-quietly
complete-file() {
  BUFFER=$(<line) CURSOR=$#BUFFER
  : > offered
  zle complete-quietly
  BUFFER=''
  print -n '=completed=' > /dev/tty
}
zle -N complete-file
bindkey '^T' complete-file
print -n '=ready='
`;

const zshDriver = `[[ -n $TRUNKLINE_ZSH_MODULES ]] && module_path=(\${(s.:.)TRUNKLINE_ZSH_MODULES})
zmodload zsh/zpty
zpty shell $1 -f -i
zpty -w shell "module_path=($module_path); source interactive.zsh"
zpty -r shell seen '*=ready=*'
while IFS= read -r line; do
  print -rn -- $line > line
  zpty -n -w shell $'\\x14'
  zpty -r shell seen '*=completed=*'
  print '>'
  cat offered
done < lines
zpty -d shell
`;

const { TRUNKLINE_TEST_ZSH: zsh, TRUNKLINE_TEST_FISH: fish } = process.env;
if (!zsh || !fish) console.warn('zsh and fish are not tested: `npm test` finds or fetches them.');

describe('completion', () => {
  it('in bash', async () => {
    const files = { 'driver.bash': bashDriver, 'completion.bash': bashCompletion(completionModel()) };
    const output = await runShell(['bash', '--norc', 'driver.bash'], files);
    expect(output[0]).toBe('complete -F _service_api service-api');
    expect(offeredIn(output)).toEqual(expected);
  });

  it.runIf(zsh)('in zsh', async () => {
    const completion = zshCompletion(completionModel());
    const files = { 'driver.zsh': zshDriver, 'interactive.zsh': zshInteractive, 'completion.zsh': completion };
    const output = await runShell([zsh ?? '', '-f', 'driver.zsh', zsh ?? ''], files);
    expect(offeredIn(output)).toEqual(expected);
  });

  it.runIf(fish)('in fish', async () => {
    const files = { 'driver.fish': fishDriver, 'completion.fish': fishCompletion(completionModel()) };
    const output = await runShell([fish ?? '', '--no-config', 'driver.fish'], files);
    expect(offeredIn(output)).toEqual(expected);
  });
});
