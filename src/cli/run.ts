import type { CommandCall, Terminal } from '../core/cli/command.ts'
import { dispatch } from '../core/cli/dispatch.ts'
import { exitOnSignal } from '../core/cli/signals.ts'
import { rooms as ours } from '../rooms.ts'

/** Runs the command that the arguments of this process name, and sets its exit code. */
export async function run(process: NodeJS.Process): Promise<void> {
  const words = process.argv.slice(2)
  if (words[0] !== 'start') exitOnSignal(process) // the service drains: runtime/shutdown.ts
  process.exitCode = await main(words, process)
}

/**
 * Runs one command of the rooms; answers the exit code. This file and the files of commands import
 * little. A command loads its dependencies when it runs, so that help and usage errors appear at
 * once.
 */
export function main(
  words: readonly string[],
  terminal: Terminal,
  rooms: CommandCall['rooms'] = ours,
): Promise<number> {
  return dispatch(rooms, words, terminal)
}
