import type { Command } from '../command.ts'
import type { CompletedCommand, CompletedOperand, CompletionTable } from './table.ts'
import { completionTable } from './table.ts'
import { zshCompletion } from './zsh.ts'

export const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export type Shell = keyof typeof shells

export function completionFor(shell: Shell, commands: readonly Command[]): string {
  return shells[shell](completionTable(commands))
}

/** For fish 3.0 or newer. */
export function fishCompletion({ groups, commands }: CompletionTable): string {
  const words = groups.flatMap(({ before, next }) =>
    next.map(({ word, doc }) => line(`__gatehouse_at ${before}`, `-a ${word}`, doc)),
  )
  return `# Completion of gatehouse for fish.

# The words before the cursor are these.
function __gatehouse_at
    set -l before (commandline -opc)
    test "$before[2..-1]" = "$argv"
end

# The words before the cursor begin with these.
function __gatehouse_in
    set -l before (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $before) -ge $last; and test "$before[2..$last]" = "$argv"
end

# As many operands as the first argument says follow these words; with a + at least as many.
function __gatehouse_operand
    __gatehouse_in $argv[2..-1]; or return 1
    set -l before (commandline -opc)
    set -l given (math (count (string match --invert -- '-*' $before)) - (count $argv))
    if string match --quiet -- '*+' $argv[1]
        test $given -ge (string trim --chars + -- $argv[1])
    else
        test $given -eq $argv[1]
    end
end

complete -c gatehouse -f
${[line('__gatehouse_at', '-l version', 'the version'), ...words, ...commands.flatMap(linesOf)].join('')}`
}

function linesOf({ name, options, operands }: CompletedCommand): string[] {
  const ofOptions = options.map(({ name: option, short, doc, takesValue, values, isFile }) => {
    const value = isFile ? ' -r -F' : takesValue ? ' -x' : ''
    const list = values.length > 0 ? ` -a '${values.join(' ')}'` : ''
    return line(
      `__gatehouse_in ${name}`,
      `${short ? `-s ${short} ` : ''}-l ${option}${value}${list}`,
      doc,
    )
  })
  const ofOperands = operands.flatMap(({ name: operand, values, isFile, isOpen }, index) => {
    if (!isFile && values.length === 0) return []
    const condition = `__gatehouse_operand ${index}${isOpen ? '+' : ''} ${name}`
    return [line(condition, isFile ? '-F' : `-a '${values.join(' ')}'`, operand)]
  })
  return [...ofOptions, ...ofOperands]
}

function line(condition: string, what: string, doc: string): string {
  return `complete -c gatehouse -n '${condition.trim()}' ${what} -d ${quoted(doc)}\n`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

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
