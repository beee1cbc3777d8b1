import type { Check, Found } from '../../../core/checks/check.ts'
import type { InsideContext } from '../../../core/checks/context.ts'
import { latestSchema, schemaVersion } from '../../../core/database/migrate.ts'
import {
  type ModuleSchema,
  moduleVersions,
  newerSchema,
} from '../../../core/database/module-schemas.ts'
import { schemaDifferences } from '../../../core/database/schema-objects.ts'

const maxReported = 20

export const schemaObjects = (modules: readonly ModuleSchema[]): Check<InsideContext> => ({
  id: 'schema_objects',
  level: 'error',
  passMessage: 'each table, index and trigger is as the migrations of this version make it',
  why: 'Without an index a request can take minutes, without a trigger counts and revocations are wrong, and a changed table can accept wrong rows or lose rows.',
  mend: {
    do: 'Find out who has changed the schema. Create missing objects again by their statements, with the service stopped, or restore a backup into a new database.',
  },
  async find({ db }) {
    const isOther =
      (await schemaVersion(db)) !== latestSchema ||
      newerSchema(await moduleVersions(db), modules) !== null
    if (isOther) return [] // reported by the version check
    const { additional, changed, missing } = await schemaDifferences(db, modules)
    const found = [
      ...missing.map(({ name, definition }): Found => differs(name, 'is missing', definition)),
      ...changed.map(({ name, definition }): Found => differs(name, 'was changed', definition)),
      ...additional.flatMap(({ name, table }): Found[] => {
        const what = `The ${name} of the table ${table} is none of this service.`
        if (name.startsWith('index ')) {
          return [
            {
              what,
              level: 'info',
              mend: { do: 'Keep it if it is yours: an index changes no answer.' },
            },
          ]
        }
        return [
          {
            what,
            level: 'warning',
            mend: { do: 'Find out who has made it, and what it does at each change.' },
          },
        ]
      }),
    ]
    const more = found.length - maxReported
    if (more <= 0) return found
    return [...found.slice(0, maxReported), { what: `${more} more objects of the schema differ.` }]
  },
})

function differs(name: string, how: string, definition: string): Found {
  const isStatement = /^create /i.test(definition)
  return {
    what: `The ${name} ${how}.`,
    ...(isStatement && { mend: { setting: `${definition};` } }),
  }
}
