import { type CommandCall, type CommandWork, UsageError } from '../../core/cli/command.ts'
import {
  allCommands,
  commandOf,
  commandRows,
  groupOf,
  presentWords,
} from '../../core/cli/commands.ts'
import { completionFor, type Shell, shells } from '../../core/cli/completion/completion.ts'
import { helpOf, usage } from '../../core/cli/help.ts'
import { noCommand } from '../../core/cli/no-command.ts'

export const commands: readonly CommandWork[] = [
  { name: 'help', usesSettings: false, example: 'help account add', run: help },
  {
    name: 'completion',
    usesSettings: false,
    operandValues: { shell: Object.keys(shells) },
    example: 'completion bash > ~/.local/share/bash-completion/completions/gatehouse',
    run: complete,
  },
]

async function help({ operands: words, output, modules }: CommandCall): Promise<void> {
  const operands = presentWords(modules, words)
  const rows = commandRows(modules)
  const [first] = operands
  if (first === undefined) return output.text(usage(rows))
  const command = await commandOf(modules, operands)
  if (command?.name === operands.join(' ')) return output.text(helpOf(command))
  const group = operands.length === 1 ? groupOf(rows, first) : []
  if (group.length === 0) throw new UsageError(noCommand(rows, operands))
  output.text(usage(group))
}

async function complete({ operands: [shell = ''], output, modules }: CommandCall): Promise<void> {
  if (!isShell(shell)) throw new UsageError(`the shell is one of ${Object.keys(shells).join(', ')}`)
  output.text(completionFor(shell, await allCommands(modules)))
}

function isShell(text: string): text is Shell {
  return Object.hasOwn(shells, text)
}
