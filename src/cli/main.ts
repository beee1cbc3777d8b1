#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { type Command, exitCodes, type Terminal } from './command.ts'
import { accountChangeCommands } from './commands/account-changes.ts'
import { accountCommands } from './commands/accounts.ts'
import { backupCommands } from './commands/backup.ts'
import { configCommands } from './commands/config.ts'
import { documentCommands } from './commands/documents.ts'
import { keyCommands } from './commands/keys.ts'
import { oidcCommands } from './commands/oidc.ts'
import { serviceCommands } from './commands/service.ts'
import { tokenCommands } from './commands/token.ts'
import { transferCommands } from './commands/transfer.ts'
import { userCommands } from './commands/users.ts'
import { dispatch } from './dispatch.ts'

/**
 * The command line. What is imported here and in the tables is small; a command loads what it works
 * with when it runs, so that help and mistakes are told at once.
 */
export const commands: readonly Command[] = [
  ...serviceCommands,
  ...accountCommands,
  ...accountChangeCommands,
  ...transferCommands,
  ...userCommands,
  ...keyCommands,
  ...tokenCommands,
  ...oidcCommands,
  ...backupCommands,
  ...configCommands,
  ...documentCommands,
]

/** Runs one command; answers the exit code. */
export function main(words: readonly string[], terminal: Terminal): Promise<number> {
  return dispatch(commands, words, terminal)
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
