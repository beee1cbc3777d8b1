import { type CommandCall, CommandError, exitCodes, UsageError } from './command.ts'

/** The option of every command that asks before it deletes. */
export const yesOption = { yes: { type: 'boolean', doc: 'do not ask' } } as const

/** Checks, before any work, that the user has agreed or can be asked. @throws UsageError */
export function assertMayConfirm({ terminal, values }: CommandCall): void {
  if (values.yes === true || terminal.stdin.isTTY === true) return
  throw new UsageError('standard input is no terminal to ask at: use --yes')
}

/**
 * Asks a question at the terminal, unless `--yes` is given. Any answer but `y` or `yes` is a no.
 * @throws CommandError if the answer is no, or if there is none
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
