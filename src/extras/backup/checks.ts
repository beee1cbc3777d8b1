import { accessSync, constants } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Check } from '../../core/checks/check.ts'
import type { InsideContext, ModuleChecks } from '../../core/checks/context.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { reasonOf, systemCode } from '../../core/reason.ts'
import { openArchive } from './archive-reader.ts'
import { lateAfterMs } from './schedule.ts'

const why = {
  en: 'What has happened since the last backup is lost with the database.',
  de: 'Was seit der letzten Sicherung geschah, geht mit der Datenbank verloren.',
}

const backupFolder: Check<InsideContext> = {
  id: 'backup_folder',
  level: 'error',
  passMessage: 'BACKUP_DIR is a folder that the service can write',
  why,
  mend: {
    do: {
      en: 'Mount or make the folder, and give it to the user of the service.',
      de: 'Hängen Sie den Ordner ein, oder legen Sie ihn an, und geben Sie ihn dem Benutzer des Dienstes.',
    },
  },
  find({ config }) {
    const { directory } = config.backups
    if (directory === undefined) return []
    try {
      accessSync(directory, constants.W_OK | constants.X_OK)
      return []
    } catch (error) {
      const what = {
        en: `BACKUP_DIR ${directory} cannot be written (${systemCode(error) ?? 'unknown'}).`,
        de: `BACKUP_DIR ${directory} ist nicht beschreibbar (${systemCode(error) ?? 'unbekannt'}).`,
      }
      return [{ what, mend: { setting: `install -d -m 0700 -o USER ${directory}` } }]
    }
  },
}

const backupFailed: Check<InsideContext> = {
  id: 'backup_failed',
  level: 'error',
  passMessage: 'the last backup was made',
  why,
  mend: {
    do: {
      en: 'Mend what it says; the service tries again by itself.',
      de: 'Beheben Sie, was dort steht; der Dienst versucht es automatisch noch einmal.',
    },
    setting: `${gatehouse} backup list`,
  },
  async find({ config, db }) {
    if (config.backups.directory === undefined) return []
    const { failed } = await backupRuns(db)
    if (failed === null) return []
    return [
      {
        what: {
          en: `The backup of ${isoTime(failed.at)} has failed: ${failed.detail ?? 'unknown'}.`,
          de: `Die Sicherung von ${isoTime(failed.at)} ist fehlgeschlagen: ${failed.detail ?? 'unbekannt'}.`,
        },
      },
    ]
  },
}

const backupAge: Check<InsideContext> = {
  id: 'backup_age',
  level: 'error',
  passMessage:
    'the newest backup is not older than BACKUP_EVERY_HOURS and a half, and its file is there',
  why,
  mend: {
    do: {
      en: 'See that a service runs with these settings, and what its log says of backups.',
      de: 'Prüfen Sie, ob ein Dienst mit diesen Einstellungen läuft und was sein Log über Sicherungen sagt.',
    },
    setting: `${gatehouse} backup list`,
  },
  async find({ clock, config, db, machine }) {
    const { directory, everyHours } = config.backups
    if (directory === undefined) return []
    const { failed, made } = await backupRuns(db)
    if (made === null) {
      const what = {
        en: 'BACKUP_DIR is set, and no backup was made yet.',
        de: 'BACKUP_DIR ist gesetzt, und es wurde noch keine Sicherung gemacht.',
      }
      return failed === null ? [{ what, level: 'info' }] : []
    }
    const at = isoTime(made.at)
    if (clock.now() - made.at > lateAfterMs(everyHours)) {
      return [
        {
          what: {
            en: `The newest backup is of ${at}, and BACKUP_EVERY_HOURS is ${everyHours}.`,
            de: `Die neueste Sicherung ist von ${at}, und BACKUP_EVERY_HOURS ist ${everyHours}.`,
          },
        },
      ]
    }
    const isHere = made.node === hostname() && made.state === 'done' && made.file !== null
    if (!isHere || machine.stat(join(directory, made.file ?? ''))) return []
    return [
      {
        what: {
          en: `The file of the backup of ${at} is gone from ${directory}: ${made.file}.`,
          de: `Die Datei der Sicherung von ${at} fehlt in ${directory}: ${made.file}.`,
        },
      },
    ]
  },
}

/** Takes seconds to read. */
const maxBytes = 2 * 1024 ** 3

const backupContent: Check<InsideContext> = {
  id: 'backup_content',
  level: 'error',
  passMessage: 'the file of the newest backup is as it was written',
  why: {
    en: 'A restore refuses a file whose content was changed, so this backup is of no use.',
    de: 'Eine Wiederherstellung lehnt eine Datei ab, deren Inhalt geändert wurde; diese Sicherung ist also nutzlos.',
  },
  mend: {
    do: {
      en: 'Look at the disk of BACKUP_DIR, and have another backup made.',
      de: 'Prüfen Sie die Platte von BACKUP_DIR, und lassen Sie eine weitere Sicherung machen.',
    },
    setting: `${gatehouse} backup verify FILE`,
  },
  async find({ config, db, machine }) {
    const { directory } = config.backups
    if (directory === undefined) return []
    const { made } = await backupRuns(db)
    if (made?.node !== hostname() || made.state !== 'done' || made.file === null) return []
    const path = join(directory, made.file)
    const stats = machine.stat(path)
    if (!stats) return [] // reported by the age check
    if (stats.size > maxBytes) {
      const what = {
        en: `${path} has more than ${maxBytes / 1024 ** 3} GiB, and is not read here.`,
        de: `${path} hat mehr als ${maxBytes / 1024 ** 3} GiB und wird hier nicht gelesen.`,
      }
      const mend = {
        do: { en: 'Read it back by command.', de: 'Prüfen Sie die Datei mit dem Befehl.' },
        setting: `${gatehouse} backup verify ${path}`,
      }
      return [{ what, level: 'info', mend }]
    }
    try {
      const archive = await openArchive(path)
      await archive.close()
      if (made.sha256 === null || archive.fileSha256 === made.sha256) return []
      return [
        {
          what: {
            en: `${path} is not the file that was written.`,
            de: `${path} ist nicht die Datei, die geschrieben wurde.`,
          },
        },
      ]
    } catch (error) {
      return [
        {
          what: {
            en: `The newest backup cannot be restored: ${reasonOf(error)}.`,
            de: `Die neueste Sicherung lässt sich nicht wiederherstellen: ${reasonOf(error)}.`,
          },
        },
      ]
    }
  },
}

const dayMs = 86_400_000
const newDays = 7

const backupNone: Check<InsideContext> = {
  id: 'backup_none',
  level: 'info',
  passMessage: 'the service makes backups by itself, once it is a week old',
  why,
  mend: {
    do: {
      en: 'Set a folder on another disk, or leave this check out if something else makes the backups: --except backup_none.',
      de: 'Setzen Sie einen Ordner auf einer anderen Platte, oder lassen Sie diese Prüfung weg, wenn etwas anderes die Sicherungen macht: --except backup_none.',
    },
    setting: 'BACKUP_DIR=/backups   BACKUP_PASSPHRASE_FILE=/etc/gatehouse/backup-passphrase',
  },
  async find({ clock, config, db }) {
    if (config.backups.directory !== undefined) return []
    const since = await firstMigration(db)
    if (since === null || clock.now() - since < newDays * dayMs) return []
    return [
      {
        what: {
          en: 'BACKUP_DIR is not set: this service makes no backups by itself.',
          de: 'BACKUP_DIR ist nicht gesetzt: Dieser Dienst macht nicht automatisch Sicherungen.',
        },
      },
    ]
  },
}

const backupRestored: Check<InsideContext> = {
  id: 'backup_restored',
  level: 'info',
  passMessage: 'the database was not restored in the last week',
  why: {
    en: `What has ended after the backup must not be valid again: a restore ends all sessions, tokens, keys of programs, app passwords, remembered devices and consents to applications. --keep-logins and \`${gatehouse} move\` keep them.`,
    de: `Was nach der Sicherung endete, darf nicht wieder gelten: Eine Wiederherstellung beendet alle Sitzungen, Token, Schlüssel von Programmen, App-Passwörter, gemerkten Geräte und Zustimmungen zu Anwendungen. --keep-logins und \`${gatehouse} move\` behalten sie.`,
  },
  mend: {
    do: {
      en: 'Tell people that they have to sign in again, with a code where they have a second factor, and to make new app passwords for their programs.',
      de: 'Sagen Sie den Personen, dass sie sich neu anmelden müssen, mit Code, wo sie einen zweiten Faktor haben, und neue App-Passwörter für ihre Programme anlegen.',
    },
  },
  async find({ clock, db }) {
    const restored = await db
      .selectFrom('audit_records')
      .select('at')
      .where('type', '=', 'backup_restored')
      .where('at', '>', clock.now() - newDays * dayMs)
      .orderBy('at', 'desc')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (!restored) return []
    const what = {
      en: `The database was restored at ${isoTime(restored.at)}: without --keep-logins, all sessions, tokens, keys of programs, app passwords, remembered devices and consents to applications have ended.`,
      de: `Die Datenbank wurde um ${isoTime(restored.at)} wiederhergestellt: Ohne --keep-logins haben alle Sitzungen, Token, Schlüssel von Programmen, App-Passwörter, gemerkten Geräte und Zustimmungen zu Anwendungen geendet.`,
    }
    return [{ what }]
  },
}

/** Epoch milliseconds. */
interface BackupRuns {
  readonly made: {
    /** When the snapshot was taken. */
    readonly at: number
    /** Whether the file is kept. */
    readonly state: string
    readonly file: string | null
    readonly node: string
    /** At the time of the backup. */
    readonly sha256: string | null
  } | null
  readonly failed: { readonly at: number; readonly detail: string | null } | null
}

async function backupRuns(db: DatabaseOrTransaction): Promise<BackupRuns> {
  const runs = db.selectFrom('backup_runs').orderBy('id', 'desc').limit(1)
  const made = await runs
    .select(['id', 'started_at', 'state', 'file', 'node', 'sha256'])
    .where('state', 'in', ['done', 'removed'])
    .executeTakeFirst()
  const failed = await runs
    .select(['finished_at', 'started_at', 'detail'])
    .where('state', '=', 'failed')
    .where('id', '>', made?.id ?? 0)
    .executeTakeFirst()
  return {
    made: made ? { ...made, at: made.started_at } : null,
    failed: failed ? { at: failed.finished_at ?? failed.started_at, detail: failed.detail } : null,
  }
}

/** Approximates the age of the deployment. */
async function firstMigration(db: DatabaseOrTransaction): Promise<number | null> {
  const { at } = await db
    .selectFrom('schema_version')
    .select((eb) => eb.fn.min('applied_at').as('at'))
    .executeTakeFirstOrThrow()
  return at === null ? null : Number(at)
}

export const checks: ModuleChecks = {
  inside: [backupFolder, backupFailed, backupAge, backupContent, backupNone, backupRestored],
}
