import type { CompletedCommand, CompletedOption, CompletionTable, NextWord } from './table.ts'

/** A file `_gatehouse` in `fpath`, or sourced after `compinit`. */
export function zshCompletion({ groups, commands }: CompletionTable): string {
  // `;|` continues matching: a group that is also a command has operands.
  const cases = groups.map(
    ({ before, next }) => `    '${before}')
      next=(
${next.map((word) => `        ${quoted(described(word))}\n`).join('')}      )
      _describe -t commands 'command' next ${commands.some(({ name }) => name === before) ? ';|' : ';;'}
`,
  )
  return `#compdef gatehouse
# Completion of gatehouse for zsh.

_gatehouse() {
  local before="\${(j: :)words[2,CURRENT-1]}"
  local -a next
  case "$before" in
${cases.join('')}    *)
      case "$before " in
${commands
  .toSorted((one, other) => other.name.length - one.name.length)
  .map(caseOf)
  .join('')}      esac ;;
  esac
}

# As a file of fpath it is called; otherwise it is registered.
if [[ "\${funcstack[1]}" == _gatehouse ]]; then _gatehouse "$@"; else compdef _gatehouse gatehouse; fi
`
}

function described({ word, doc }: NextWord): string {
  return `${word}:${doc.replaceAll(':', '\\:')}`
}

function caseOf({ name, options, operands }: CompletedCommand): string {
  const count = name.split(' ').length
  const specs = [
    ...options.flatMap(optionSpecs),
    ...operands.map((operand, index) => {
      const position = operand.isOpen ? '*' : String(index + 1)
      return `${position}:${operand.name}:${actionOf(operand)}`
    }),
  ]
  return `        '${name} '*)
          words=(gatehouse "\${(@)words[${count + 2},-1]}")
          ((CURRENT -= ${count}))
          _arguments -s -S \\
${specs.map((spec) => `            ${quoted(spec)}`).join(' \\\n')} ;;
`
}

function optionSpecs(option: CompletedOption): string[] {
  const { name, short, doc, takesValue, isMultiple } = option
  const about = `[${doc.replace(/[\\[\]:]/g, '\\$&')}]`
  const repeated = isMultiple ? '*' : ''
  const value = takesValue ? `:value:${actionOf(option)}` : ''
  const long = `${repeated}--${name}${takesValue ? '=' : ''}${about}${value}`
  return short ? [long, `-${short}${about}${value}`] : [long]
}

function actionOf({ values, isFile }: { values: readonly string[]; isFile: boolean }): string {
  if (isFile) return '_files'
  return values.length > 0 ? `(${values.join(' ')})` : ' '
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
