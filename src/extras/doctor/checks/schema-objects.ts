import type { Check, Found } from '../../../core/checks/check.ts'
import type { InsideContext } from '../../../core/checks/context.ts'
import { latestSchema, schemaVersion } from '../../../core/database/migrate.ts'
import {
  type ModuleSchema,
  moduleVersions,
  newerSchema,
} from '../../../core/database/module-schemas.ts'
import { schemaDifferences } from '../../../core/database/schema-objects.ts'
import type { Words } from '../../../core/lib/languages.ts'

const maxReported = 20

export const schemaObjects = (modules: readonly ModuleSchema[]): Check<InsideContext> => ({
  id: 'schema_objects',
  level: 'error',
  passMessage: 'each table, index and trigger is as the migrations of this version make it',
  why: {
    en: 'Without an index a request can take minutes, without a trigger counts and revocations are wrong, and a changed table can accept wrong rows or lose rows.',
    de: 'Ohne einen Index kann eine Anfrage Minuten dauern, ohne einen Trigger sind Zählungen und Widerrufe falsch, und eine geänderte Tabelle kann falsche Zeilen annehmen oder Zeilen verlieren.',
  },
  mend: {
    do: {
      en: 'Find out who has changed the schema. Create missing objects again by their statements, with the service stopped, or restore a backup into a new database.',
      de: 'Finden Sie heraus, wer das Schema geändert hat. Legen Sie fehlende Objekte mit ihren Anweisungen neu an, bei angehaltenem Dienst, oder spielen Sie eine Sicherung in eine neue Datenbank ein.',
    },
  },
  async find({ db }) {
    const isOther =
      (await schemaVersion(db)) !== latestSchema ||
      newerSchema(await moduleVersions(db), modules) !== null
    if (isOther) return [] // reported by the version check
    const { additional, changed, missing } = await schemaDifferences(db, modules)
    const found = [
      ...missing.map(
        ({ name, definition }): Found =>
          differs(name, { en: 'is missing', de: 'fehlt' }, definition),
      ),
      ...changed.map(
        ({ name, definition }): Found =>
          differs(name, { en: 'was changed', de: 'wurde geändert' }, definition),
      ),
      ...additional.flatMap(({ name, table }): Found[] => {
        const what = {
          en: `The ${name} of the table ${table} is none of this service.`,
          de: `Das Objekt ${name} der Tabelle ${table} gehört nicht zu diesem Dienst.`,
        }
        if (name.startsWith('index ')) {
          return [
            {
              what,
              level: 'info',
              mend: {
                do: {
                  en: 'Keep it if it is yours: an index changes no answer.',
                  de: 'Behalten Sie ihn, wenn es Ihrer ist: Ein Index ändert keine Antwort.',
                },
              },
            },
          ]
        }
        return [
          {
            what,
            level: 'warning',
            mend: {
              do: {
                en: 'Find out who has made it, and what it does at each change.',
                de: 'Finden Sie heraus, wer ihn angelegt hat und was er bei jeder Änderung tut.',
              },
            },
          },
        ]
      }),
    ]
    const more = found.length - maxReported
    if (more <= 0) return found
    return [
      ...found.slice(0, maxReported),
      {
        what: {
          en: `${more} more objects of the schema differ.`,
          de: `${more} weitere Objekte des Schemas weichen ab.`,
        },
      },
    ]
  },
})

function differs(name: string, how: Words, definition: string): Found {
  const isStatement = /^create /i.test(definition)
  return {
    what: { en: `The ${name} ${how.en}.`, de: `Das Objekt ${name} ${how.de}.` },
    ...(isStatement && { mend: { setting: `${definition};` } }),
  }
}
