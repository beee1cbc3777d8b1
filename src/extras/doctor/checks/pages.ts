import { join } from 'node:path'
import type { Check } from '../../../core/checks/check.ts'
import type { InsideContext } from '../../../core/checks/context.ts'
import { databaseFileName } from '../../../core/database/sqlite/connect.ts'
import { quickCheck } from '../../../core/database/sqlite/quick-check.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'

/** Readable in seconds. In larger files, queries detect damage. */
const maxBytes = 1024 ** 3
const limitMs = 30_000

export const databasePages: Check<InsideContext> = {
  id: 'database_pages',
  level: 'error',
  passMessage: 'each page of the database can be read',
  why: {
    en: 'The content of a damaged page is lost, each request that needs it is refused with 503, and a backup cannot be made.',
    de: 'Der Inhalt einer beschädigten Seite ist verloren, jede Anfrage, die sie braucht, wird mit 503 abgelehnt, und eine Sicherung ist nicht möglich.',
  },
  mend: {
    do: {
      en: 'Keep a copy of the database with its -wal, look at the disk, and restore the newest backup: docs/backup.md.',
      de: 'Behalten Sie eine Kopie der Datenbank mit ihrer -wal, prüfen Sie die Platte, und spielen Sie die neueste Sicherung ein: docs/backup.md.',
    },
    setting: `${gatehouse} restore FILE`,
  },
  async find({ config, machine, measurements }) {
    const { detail } = measurements.database.damage
    if (detail !== null)
      return [
        {
          what: {
            en: `A statement has met damage: ${detail}.`,
            de: `Eine Anweisung ist auf einen Schaden gestoßen: ${detail}.`,
          },
        },
      ]
    if (config.database.postgres) return [] // PostgreSQL verifies its own pages
    const path = join(config.database.dataDirectory, databaseFileName)
    const size = machine.stat(path)?.size ?? 0
    if (size > maxBytes) {
      const what = {
        en: `${path} has more than ${maxBytes / 1024 ** 3} GiB, and is not read as a whole here.`,
        de: `${path} hat mehr als ${maxBytes / 1024 ** 3} GiB und wird hier nicht ganz gelesen.`,
      }
      return [
        {
          what,
          level: 'info',
          mend: {
            do: {
              en: 'Make backups: each reads every row.',
              de: 'Machen Sie Sicherungen: Jede liest alle Zeilen.',
            },
          },
        },
      ]
    }
    const problems = await quickCheck(path, limitMs)
    return problems.map((problem) => ({
      what: { en: `${path} is damaged: ${problem}.`, de: `${path} ist beschädigt: ${problem}.` },
    }))
  },
}
