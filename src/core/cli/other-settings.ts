import type { SettingName } from '../config/load.ts'
import { type CommandCall, CommandError, exitCodes } from './command.ts'

/** What decides which key signs, and how long a replaced one verifies. */
const signing = [
  'TOKEN_ALGORITHM',
  'TOKEN_SECRET',
  'TOKEN_PRIVATE_KEY',
  'TOKEN_SECONDS',
  'ACCESS_TOKEN_SECONDS',
  'REFRESH_TOKEN_SECONDS',
] as const

/**
 * Refuses to change the keys of access tokens with other settings than the service that runs on this
 * data directory: the command would take another key for the one that signs.
 * @throws CommandError
 */
export async function refuseOtherKeys({ config, terminal }: CommandCall): Promise<void> {
  const { runningServices } = await import('../runtime/service-note.ts')
  for (const { pid, different } of runningServices({ config, env: terminal.env }, signing)) {
    if (different.length === 0) continue
    throw new CommandError(
      `the service that runs as process ${pid} has other settings: ${different.join(', ')}; give this command the same`,
      exitCodes.refused.code,
    )
  }
}

/** What every command on the database depends on. */
const always = ['DATABASE_URL', 'MASTER_KEY'] as const

/**
 * Warns on standard error if the service that runs on this data directory has other settings, or if
 * the data directory is the default and no service runs on it: then the change may go to a database
 * that the service does not use.
 */
export async function warnOfOtherSettings({
  config,
  settings,
  terminal: { env, stderr },
}: CommandCall): Promise<void> {
  const { runningServices } = await import('../runtime/service-note.ts')
  const names: SettingName[] = [...new Set([...always, ...settings])]
  const running = runningServices({ config, env }, names)
  for (const { pid, different } of running) {
    if (different.length === 0) continue
    const list = different.join(', ')
    stderr.write(
      `warning: the service that runs as process ${pid} has other settings: ${list}; give this command the same\n`,
    )
  }
  const isPlaceGiven = ['DATA_DIR', 'DATABASE_URL', 'DATABASE_URL_FILE'].some((name) => env[name])
  if (running.length > 0 || isPlaceGiven) return
  stderr.write(
    `warning: no service runs on ${config.database.dataDirectory}, the default: if yours has DATA_DIR or DATABASE_URL, give this command the same\n`,
  )
}
