import type { CommandCall, Terminal } from '../core/cli/command.ts'
import { dispatch } from '../core/cli/dispatch.ts'
import { exitOnSignal } from '../core/cli/signals.ts'
import { modules as ours } from '../modules.ts'

export async function run(process: NodeJS.Process): Promise<void> {
  const words = process.argv.slice(2)
  if (words[0] !== 'start') exitOnSignal(process) // the service drains: runtime/shutdown.ts
  process.exitCode = await main(words, process)
}

/** Commands import their dependencies when they run, so that help and usage errors are fast. */
export function main(
  words: readonly string[],
  terminal: Terminal,
  modules: CommandCall['modules'] = ours,
): Promise<number> {
  return dispatch(modules, words, terminal)
}
