import type { Logger } from 'pino'
import type { Config } from '../../core/config/load.ts'
import { versionOf } from '../../core/config/read-file.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { type CheckValues, checkOf } from './check-values.ts'
import { profileFileBroken, profileFileChanged } from './events.ts'
import type { ProfileField } from './field.ts'
import { readProfileFile } from './profile-file.ts'

/** The fields in force. */
export interface FieldSet {
  readonly fields: readonly ProfileField[]
  readonly check: CheckValues
}

export interface ProfileFields {
  now(): FieldSet
  /** If the changed file has mistakes, logs them, again each hour, and keeps the previous fields. */
  refresh(): Promise<void>
}

export interface ProfileFieldsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly config: Pick<Config, 'profile'>
  readonly events: Pick<Events, 'emit'>
  readonly log: Pick<Logger, 'error' | 'info'>
  readonly workers: Pick<Workers, 'index' | 'keep'>
}

const remindMs = 3_600_000

export async function createProfileFields(deps: ProfileFieldsDeps): Promise<ProfileFields> {
  const { clock, config, events, log, workers } = deps
  const { file, atStart } = config.profile
  const logs = workers.index === 0 // each worker reads the file
  let current: FieldSet = { fields: atStart, check: await checkOf(atStart) }
  let seen: string | undefined
  let mistakes: readonly string[] = []
  let loggedAt = 0
  if (file !== undefined) workers.keep({ PROFILE_FILE: atStart })

  return {
    now: () => current,

    async refresh() {
      if (file === undefined) return
      const version = await versionOf(file)
      if (version === seen) return remind()
      const { fields, mistakes: found } = readProfileFile(file)
      seen = version
      if (found.length > 0) return refuse(found)
      if (mistakes.length > 0 && logs)
        log.info('the file of profile fields has no mistakes any more')
      mistakes = []
      if (JSON.stringify(fields) === JSON.stringify(current.fields)) return
      current = { fields, check: await checkOf(fields) }
      workers.keep({ PROFILE_FILE: fields })
      if (logs) events.emit(profileFileChanged, { fields: fields.length })
    },
  }

  function refuse(found: readonly string[]): void {
    const isNew = JSON.stringify(found) !== JSON.stringify(mistakes)
    mistakes = found
    if (!logs) return
    logMistakes()
    const { length } = current.fields
    if (isNew) events.emit(profileFileBroken, { mistakes: found.length, fields: length })
  }

  function remind(): void {
    if (logs && mistakes.length > 0 && clock.now() - loggedAt >= remindMs) logMistakes()
  }

  function logMistakes(): void {
    loggedAt = clock.now()
    log.error(
      { mistakes, fields: current.fields.length },
      'the changed file of profile fields is not taken up: the previous fields stay',
    )
  }
}
