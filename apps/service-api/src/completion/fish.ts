import { shells, type CompletionModel } from './completion-model.ts';

function fishQuote(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

function optionLine({ flag, summary, takesValue, values }: CompletionModel['options'][number]): string {
  const long = `complete -c service-api -l ${flag.replace(/^--/, '')} -d ${fishQuote(summary)}`;
  if (!takesValue) return `${long}\n`;
  if (flag === '--config') return `${long} -r -F\n`;
  if (flag === '--profile') return `${long} -x -a '(service-api completion profiles 2>/dev/null)'\n`;
  return `${long} -x${values.length > 0 ? ` -a ${fishQuote(values.join(' '))}` : ''}\n`;
}

/** Returns a command that prints candidates, each with what it means. */
function print(candidates: readonly (readonly [string, string])[]): string {
  return `printf '%s\\t%s\\n' ${candidates.flatMap((one) => one.map(fishQuote)).join(' ')}`;
}

function methodCase({ anyName, args }: CompletionModel['methods'][number]): string {
  const candidates = args.flatMap(({ name, summary, values }): (readonly [string, string])[] => {
    if (values.length === 0) return [[`${name}:`, summary]];
    return values.map((value) => [`${name}:${value}`, summary]);
  });
  return candidates.length === 0 ? '' : `    case ${anyName.join(' ')}\n      ${print(candidates)}\n`;
}

/** Returns the script that completes command lines of the client in fish. */
export function fishCompletion({ options, methods, takingValue }: CompletionModel): string {
  const names = methods.map(({ name, summary }) => [name, summary] as const);
  return `# Completion of service-api for fish. In ~/.config/fish/config.fish: service-api completion fish | source
function __service_api_candidates
  set -l method ''
  set -l skips no
  set -l before (commandline -opc)
  for word in $before[2..-1]
    if test $skips = yes
      set skips no
    else if contains -- $word ${takingValue.join(' ')}
      set skips yes
    else if not string match -q -- '-*' $word; and test -z "$method"
      set method $word
    end
  end
  set -l current (commandline -ct)
  if test -n "$method"; and string match -q -r '^[^:=]+=@' -- $current
    set -l parts (string split -m 1 =@ -- $current)
    for path in $parts[2]*
      printf '%s=@%s\\n' $parts[1] $path
    end
    return
  end
  switch $method
    case ''
      ${print([...names, ['completion', 'Prints a script that completes command lines']])}
    case completion
      printf '%s\\n' ${shells.join(' ')}
${methods.map(methodCase).join('')}  end
end

complete -c service-api -e
complete -c service-api -f -a '(__service_api_candidates)'
${options.map(optionLine).join('')}`;
}
