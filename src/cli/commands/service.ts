import { type CommandCall, type CommandWork, UsageError } from '../../core/cli/command.ts'
import { assertMayConfirm, confirm, yesOption } from '../../core/cli/confirm.ts'
import { assertDatabaseThere, withDeps, withoutService } from '../../core/cli/work.ts'
import type { Database } from '../../core/database/database.ts'
import type { Deps } from '../../core/runtime/deps.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'start',
    example: 'start',
    async run({ modules, terminal }) {
      const { inWorkers } = await import('../../core/workers/start.ts')
      await inWorkers({ ...terminal.env }, async (workers) => {
        const { start } = await import('../../start.ts')
        await start({ ...terminal.env }, modules, workers)
      })
    },
  },
  {
    name: 'migrate',
    options: {
      contract: {
        type: 'boolean',
        doc: 'also run migrations that take away what the previous version reads; none of its nodes may run',
      },
      abandon: {
        type: 'string',
        value: 'names',
        doc: 'drop what tables hold that belong to no module of this program; commas between them',
      },
      ...yesOption,
    },
    example: 'migrate --json',
    async run(call) {
      const mayContract = call.values.contract === true
      const { dataDirectory, postgres } = call.config.database
      if (!postgres && !mayContract) {
        const { assertNoOlderProcess } = await import('../../core/database/sqlite/older-process.ts')
        assertNoOlderProcess(dataDirectory)
      }
      const abandoned = namesOf(call.values.abandon)
      if (abandoned.length > 0) {
        assertMayConfirm(call)
        await assertDatabaseThere(call)
      }
      const work = () => withDeps(call, (deps) => migrateAll(call, deps, abandoned))
      await (abandoned.length > 0 ? withoutService(call, work) : work())
    },
  },
]

async function migrateAll(
  call: CommandCall,
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  names: readonly string[],
): Promise<void> {
  const { latestSchema: to, migrate } = await import('../../core/database/migrate.ts')
  const { moduleVersions } = await import('../../core/database/module-schemas.ts')
  const { modules, values } = call
  const abandoned = names.length > 0 ? await confirmed(call, db, names) : []
  const mayContract = values.contract === true
  const from = to - (await migrate(db, clock, { modules, mayContract, abandoned: names }))
  const versions = Object.fromEntries(await moduleVersions(db))
  const ofModules = Object.entries(versions).map(([name, version]) => `, ${name} ${version}`)
  const text = from === to ? `schema ${to}, nothing to do` : `schema ${from} -> ${to}`
  call.output.result(
    {
      ...{ from, to },
      ...(ofModules.length > 0 && { modules: versions, rooms: versions }), // `rooms`: before 0.13.0
      ...(names.length > 0 && { abandoned: names }),
    },
    [text + ofModules.join(''), ...abandoned].join('\n'),
  )
}

async function confirmed(
  call: CommandCall,
  db: Database,
  names: readonly string[],
): Promise<string[]> {
  const { rowsInWords } = await import('../../core/database/rows-of-tables.ts')
  const { abandonable } = await import('../../core/database/unowned-tables.ts')
  const { emptied, dropped, forgotten } = await abandonable(db, call.modules, names)
  const asked = [
    ...(forgotten.length > 0 ? [`forget the module ${forgotten.join(', ')}`] : []),
    ...(dropped.size > 0 ? [`drop ${rowsInWords(dropped)}`] : []),
    ...(emptied.size > 0 ? [`empty ${rowsInWords(emptied)}`] : []),
  ]
  await confirm(call, `For good: ${asked.join('; ')}?`)
  return [
    ...(emptied.size > 0 ? [`emptied, the tables stay: ${[...emptied.keys()].join(', ')}`] : []),
    ...(dropped.size > 0 ? [`dropped: ${[...dropped.keys()].join(', ')}`] : []),
  ]
}

/** @throws UsageError for an empty name */
function namesOf(list: unknown): string[] {
  if (typeof list !== 'string') return []
  const names = [...new Set(list.split(',').map((name) => name.trim()))]
  if (names.includes('')) throw new UsageError('--abandon must have no empty name')
  return names
}
