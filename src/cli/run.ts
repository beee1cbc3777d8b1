import type { CommandCall, Terminal } from '../core/cli/command.ts'
import { dispatch } from '../core/cli/dispatch.ts'
import { exitOnSignal } from '../core/cli/signals.ts'
import { modules as ours } from '../modules.ts'

/** Runs the command that the arguments of this process name, and sets its exit code. */
export async function run(process: NodeJS.Process): Promise<void> {
  const words = process.argv.slice(2)
  if (words[0] !== 'start') exitOnSignal(process) // the service drains: runtime/shutdown.ts
  process.exitCode = await main(words, process)
}

/**
 * Runs one command of the modules; answers the exit code. This file and the files of commands import
 * little. A command loads its dependencies when it runs, so that help and usage errors appear at
 * once.
 */
export function main(
  words: readonly string[],
  terminal: Terminal,
  modules: CommandCall['modules'] = ours,
): Promise<number> {
  return dispatch(modules, words, terminal)
}
