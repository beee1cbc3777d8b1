#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { rooms as ours } from '../rooms.ts'
import { type CommandCall, exitCodes, type Terminal } from './command.ts'
import { dispatch } from './dispatch.ts'

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

/**
 * Exits on a signal. The database rolls back, and handlers of the event `exit` delete partial
 * files.
 */
function exitOnSignal(): void {
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
  if (words[0] !== 'start') exitOnSignal() // the service drains: runtime/shutdown.ts
  process.exitCode = await main(words, process)
}
