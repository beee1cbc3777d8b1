import { type CommandCall, CommandError, exitCodes, UsageError } from './command.ts'

/** For commands that delete. */
export const yesOption = { yes: { type: 'boolean', doc: 'do not ask' } } as const

/** Called before any work. @throws UsageError if the user can neither agree nor be asked */
export function assertMayConfirm({ terminal, values }: CommandCall): void {
  if (values.yes === true || terminal.stdin.isTTY === true) return
  throw new UsageError('standard input is no terminal to ask at: use --yes')
}

/**
 * Skipped with `--yes`; only `y` or `yes` agrees.
 * @throws CommandError otherwise
 */
export async function confirm({ terminal, values }: CommandCall, question: string): Promise<void> {
  if (values.yes === true) return
  const { createInterface } = await import('node:readline')
  const { stdin: input, stderr: output } = terminal
  const lines = createInterface({ input, output, terminal: true, historySize: 0 })
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => resolve(undefined))
    lines.question(`${question} [y/N] `, resolve)
  })
  lines.close()
  if (answer === undefined) {
    output.write('\n')
    throw new CommandError('broken off: nothing was changed', exitCodes.interrupted.code)
  }
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new CommandError('nothing was changed')
}
