import { type CompletionModel, shellQuote, shells } from './completion-model.ts';

type Case = readonly [patterns: readonly string[], words: readonly string[]];

/** Returns a function that prints words by its first argument. */
function table(name: string, cases: readonly Case[]): string {
  const branches = cases.map(([patterns, words]) => {
    return `    ${patterns.join('|')}) echo ${shellQuote(words.join(' '))} ;;\n`;
  });
  return `${name}() {\n  case $1 in\n${branches.join('')}  esac\n}\n\n`;
}

function tables({ options, methods, takingValue, optionValues, argValues }: CompletionModel): string {
  const flags = options.map(({ flag, takesValue }) => `${flag}${takesValue ? '=' : ''}`);
  const names = [...methods.map(({ name }) => name), 'completion'];
  const words: readonly Case[] = [
    [['options'], flags],
    [['methods'], names],
    [['shells'], shells],
  ];
  return [
    table('_service_api_words', words),
    table('_service_api_takes_value', [[takingValue, ['yes']]]),
    table(
      '_service_api_args',
      methods.map(({ anyName, args }) => [anyName, args.map(({ name }) => `${name}:`)]),
    ),
    table(
      '_service_api_values',
      [...optionValues, ...argValues].map(({ anyName, values }) => [anyName, values]),
    ),
  ].join('');
}

const main = `_service_api() {
  local line=\${COMP_LINE:0:COMP_POINT} cur='' method='' wants='' word='' found='' prefix='' kept='' char=''
  local -a words=()
  # The words of COMP_WORDS are broken at colons and equals signs.
  IFS=$' \\t\\n' read -r -a words <<< "$line"
  if [[ $line != *[[:space:]] ]]; then
    cur=\${words[\${#words[@]}-1]}
    unset "words[\${#words[@]}-1]"
  fi
  for word in "\${words[@]:1}"; do
    if [[ -n $wants ]]; then
      wants=''
    elif [[ -n $(_service_api_takes_value "$word") ]]; then
      wants=$word
    elif [[ $word != -* && -z $method ]]; then
      method=$word
    fi
  done
  if [[ -z $wants && $cur == --*=* ]]; then
    wants=\${cur%%=*} prefix=\${cur%%=*}=
  elif [[ -z $wants && -n $method && $cur == *=@* && $cur != *:* ]]; then
    wants=--config prefix=\${cur%%=@*}=@
  fi
  if [[ $wants == --config ]]; then
    compopt -o filenames 2>/dev/null
    found=$(compgen -f -- "\${cur#"$prefix"}")
  elif [[ $wants == --profile ]]; then
    found=$("\${words[0]}" completion profiles 2>/dev/null)
  elif [[ -n $wants ]]; then
    found=$(_service_api_values "$wants")
  elif [[ $cur == -* ]]; then
    found=$(_service_api_words options)
  elif [[ -z $method ]]; then
    found=$(_service_api_words methods)
  elif [[ $method == completion ]]; then
    found=$(_service_api_words shells)
  elif [[ $cur == *:* ]]; then
    prefix=\${cur%%:*}:
    found=$(_service_api_values "$method:\${cur%%:*}")
  else
    found=$(_service_api_args "$method")
  fi
  if [[ $wants != --config ]]; then found=\${found// /$'\\n'}; fi
  # Readline replaces what follows the last of the characters at which it breaks words; an at sign is replaced, too.
  kept=$prefix
  for char in : =; do
    if [[ $COMP_WORDBREAKS == *"$char"* ]]; then kept=\${kept##*"$char"}; fi
  done
  if [[ $COMP_WORDBREAKS == *@* && $kept == *@* ]]; then kept=@\${kept##*@}; fi
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ -n $word && $word == "\${cur#"$prefix"}"* ]]; then COMPREPLY+=("$kept$word"); fi
  done <<< "$found"
  if [[ \${COMPREPLY[0]-} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}

complete -F _service_api service-api
`;

/** Returns the script that completes command lines of the client in bash. */
export function bashCompletion(model: CompletionModel): string {
  const head = '# Completion of service-api for bash. In ~/.bashrc: source <(service-api completion bash)\n';
  return `${head}${tables(model)}${main}`;
}
