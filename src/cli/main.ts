#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { rooms as ours } from '../rooms.ts'
import { type CommandCall, exitCodes, type Terminal } from './command.ts'
import { dispatch } from './dispatch.ts'

/**
 * Runs one command of the rooms; answers the exit code. What is imported here and in the files of
 * commands is small; a command loads what it works with when it runs, so that help and mistakes are
 * told at once.
 */
export function main(
  words: readonly string[],
  terminal: Terminal,
  rooms: CommandCall['rooms'] = ours,
): Promise<number> {
  return dispatch(rooms, words, terminal)
}

/** The database forgets what was not committed; files that are not whole go with the event `exit`. */
function breakOffOnSignal(): void {
  for (const [signal, { code }] of [
    ['SIGINT', exitCodes.interrupted],
    ['SIGTERM', exitCodes.terminated],
  ] as const) {
    process.once(signal, () => {
      process.stderr.write(`broken off by ${signal}\n`)
      process.exit(code)
    })
  }
}

if (import.meta.main) {
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/gatehouse'))
  const words = process.argv.slice(2)
  if (words[0] !== 'start') breakOffOnSignal() // the service answers what it has accepted: shutdown.ts
  process.exitCode = await main(words, process)
}
