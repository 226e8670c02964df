import { type CompletionModel, shellQuote, shells } from './completion-model.ts';

/** Returns an entry of `_describe`: a name, in which colons are escaped, and what it means. */
function entry(name: string, summary: string): string {
  return shellQuote(`${name.replaceAll(':', String.raw`\:`)}:${summary}`);
}

type Case = readonly [patterns: readonly string[], entries: readonly string[]];

/** Returns a function that sets `found` by its first argument. */
function table(name: string, cases: readonly Case[]): string {
  const branches = cases.map(([patterns, entries]) => {
    return `    (${patterns.join('|')}) found=(\n${entries.map((one) => `      ${one}\n`).join('')}    ) ;;\n`;
  });
  return `${name}() {\n  case $1 in\n${branches.join('')}  esac\n}\n\n`;
}

function tables({ options, methods, takingValue, optionValues, argValues }: CompletionModel): string {
  const flags = options.map(({ flag, takesValue, summary }) => entry(`${flag}${takesValue ? '=' : ''}`, summary));
  const names = methods.map(({ name, summary }) => entry(name, summary));
  const words: readonly Case[] = [
    [['options'], flags],
    [['methods'], [...names, entry('completion', 'Prints a script that completes command lines')]],
    [['shells'], shells],
  ];
  return [
    table('_service_api_words', words),
    table('_service_api_takes_value', [[takingValue, ['yes']]]),
    table(
      '_service_api_args',
      methods.map(({ anyName, args }) => [anyName, args.map(({ name, summary }) => entry(`${name}:`, summary))]),
    ),
    table(
      '_service_api_values',
      [...optionValues, ...argValues].map(({ anyName, values }) => [anyName, values]),
    ),
  ].join('');
}

const main = `_service_api() {
  local method='' wants='' word=''
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    found=()
    _service_api_takes_value $word
    if [[ -n $wants ]]; then
      wants=''
    elif (( $#found )); then
      wants=$word
    elif [[ $word != -* && -z $method ]]; then
      method=$word
    fi
  done
  found=()
  if [[ -z $wants && $PREFIX == --*=* ]]; then
    wants=\${PREFIX%%=*}
    compset -P 1 '*='
  elif [[ -z $wants && -n $method && $PREFIX == *=@* && $PREFIX != *:* ]]; then
    wants=--config
    compset -P 1 '*=@'
  fi
  if [[ $wants == --config ]]; then
    _files
  elif [[ $wants == --profile ]]; then
    found=(\${(f)"$(\${words[1]} completion profiles 2>/dev/null)"})
    compadd -a found
  elif [[ -n $wants ]]; then
    _service_api_values $wants
    compadd -a found
  elif [[ $PREFIX == -* ]]; then
    _service_api_words options
    _describe -t options option found -S ''
  elif [[ -z $method ]]; then
    _service_api_words methods
    _describe -t methods method found
  elif [[ $method == completion ]]; then
    _service_api_words shells
    compadd -a found
  elif [[ $PREFIX == *:* ]]; then
    _service_api_values $method:\${PREFIX%%:*}
    compset -P 1 '*:'
    compadd -a found
  else
    _service_api_args $method
    _describe -t arguments argument found -S ''
  fi
}

# Called by name when this file is found in fpath, and read by \`source\` otherwise.
if [[ $funcstack[1] == _service_api ]]; then
  _service_api "$@"
else
  compdef _service_api service-api
fi
`;

/** Returns the script that completes command lines of the client in zsh. */
export function zshCompletion(model: CompletionModel): string {
  const head =
    '# Completion of service-api for zsh. In ~/.zshrc, after compinit: source <(service-api completion zsh)\n';
  return `#compdef service-api\n${head}${tables(model)}${main}`;
}
