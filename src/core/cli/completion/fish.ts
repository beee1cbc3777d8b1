import type { CompletedCommand, CompletionTable } from './table.ts'

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
