import type { Command } from '../command.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { completionTable } from './table.ts'
import { zshCompletion } from './zsh.ts'

export const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export type Shell = keyof typeof shells

export function completionFor(shell: Shell, commands: readonly Command[]): string {
  return shells[shell](completionTable(commands))
}
