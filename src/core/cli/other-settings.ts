import type { SettingName } from '../config/load.ts'
import type { CommandCall } from './command.ts'

/**
 * Warns if the service on this data directory has other settings, or if the default data directory
 * has no service: the change may go to the wrong database.
 */
export async function warnOfOtherSettings({
  config,
  settings,
  tables,
  terminal: { env, stderr },
}: CommandCall): Promise<void> {
  const { runningServices } = await import('../runtime/service-note.ts')
  const ofAll = tables
    .flatMap(({ table }) => Object.entries(table))
    .flatMap(([name, { isOfAllCommands }]) => (isOfAllCommands ? [name as SettingName] : [])) // a table's name
  const names = [...new Set([...ofAll, ...settings])]
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
