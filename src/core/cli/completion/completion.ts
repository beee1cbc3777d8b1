import type { Command } from '../command.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { completionTable } from './table.ts'
import { zshCompletion } from './zsh.ts'

/** The shells that have a completion, each with the function that writes it. */
export const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export type Shell = keyof typeof shells

/** Answers the completion of all commands, as a script for the shell. */
export function completionFor(shell: Shell, commands: readonly Command[]): string {
  return shells[shell](completionTable(commands))
}
