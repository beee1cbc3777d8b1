import type { CompletedCommand, CompletedOperand, CompletionTable } from './table.ts'

/** For bash 3.2 or newer, without bash-completion. */
export function bashCompletion({ groups, commands }: CompletionTable): string {
  const cases = groups.map(({ before, next }) => {
    const words = next.map(({ word }) => word).join(' ')
    const options = `--help${before === '' ? ' --version' : ''}`
    const isCommand = commands.some(({ name }) => name === before)
    return `    '${before}') words='${words}' options='${options}'${isCommand ? '' : ' own='} ;;\n`
  })
  return `# Completion of gatehouse for bash.

_gatehouse() {
  local IFS=$' \\t\\n'
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  # bash takes the = of --option=value for a word.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  local before="\${COMP_WORDS[*]:1:COMP_CWORD - 1}" words='' options='' word='' files='' own=1
  COMPREPLY=()

  case "$before" in
${cases.join('')}  esac
  # A command may begin the name of others: what follows is theirs, or an operand of its own.
  if [[ -n $own ]]; then
    case "$before " in
${commands
  .toSorted((one, other) => other.name.length - one.name.length)
  .map(caseOf)
  .join('')}    esac
  fi

  # Options are offered where one is begun, and where nothing else is known.
  if [[ $current == -* || -z $words && -z $files ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  fi
}

# How many operands follow the first words, of which options may take one each.
_gatehouse_operands() {
  local index=$(($1 + 1)) count=0
  while ((index < COMP_CWORD)); do
    if [[ $2 == *" \${COMP_WORDS[index]} "* ]]; then
      ((index += 1))
      [[ \${COMP_WORDS[index]} == '=' ]] && ((index += 1))
    elif [[ \${COMP_WORDS[index]} != -* ]]; then
      ((count += 1))
    fi
    ((index += 1))
  done
  echo "$count"
}

complete -F _gatehouse gatehouse
`
}

function caseOf({ name, options, operands }: CompletedCommand): string {
  const valued = options.filter(({ takesValue }) => takesValue)
  const ofOptions = valued.map(
    ({ name: option, values, isFile }) =>
      `            --${option}) ${isFile ? 'files=1' : `words='${values.join(' ')}'`} ;;\n`,
  )
  const names = options.flatMap(({ name: option, short }) => [
    ...(short ? [`-${short}`] : []),
    `--${option}`,
  ])
  const list = valued.map(({ name: option }) => `--${option}`).join(' ')
  const known = operands.filter(({ values, isFile }) => values.length > 0 || isFile)
  const ofOperands =
    known.length === 0
      ? ''
      : `
              if [[ $current != -* ]]; then
                case "$(_gatehouse_operands ${name.split(' ').length} ' ${list} ')" in
${known.map((operand) => `                  ${operandCase(operand, operands.indexOf(operand))}\n`).join('')}                esac
              fi`
  return `        '${name} '*)
          case "$previous" in
${ofOptions.join('')}            *)
              options='${names.join(' ')}'${ofOperands}
              ;;
          esac
          ;;
`
}

function operandCase({ values, isFile, isOpen }: CompletedOperand, index: number): string {
  return `${isOpen ? '*' : index}) ${isFile ? 'files=1' : `words='${values.join(' ')}'`} ;;`
}
