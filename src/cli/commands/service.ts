import type { CommandWork } from '../../core/cli/command.ts'
import { assertMayConfirm, confirm, yesOption } from '../../core/cli/confirm.ts'
import { assertDatabaseThere, withDeps } from '../../core/cli/work.ts'

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
        doc: 'also run migrations that take away what the version before reads; none of its nodes may run',
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
      await withDeps(call, async ({ db, clock }) => {
        const { latestSchema, migrate } = await import('../../core/database/migrate.ts')
        const { moduleVersions } = await import('../../core/database/module-schemas.ts')
        const { modules } = call
        if (abandoned.length > 0) {
          const { rowsInWords } = await import('../../core/database/rows-of-tables.ts')
          const { abandonable } = await import('../../core/database/unowned-tables.ts')
          const { emptied, dropped } = await abandonable(db, modules, abandoned)
          const tables = rowsInWords(new Map([...emptied, ...dropped]))
          await confirm(call, `Drop what these tables hold, for good: ${tables || 'none'}?`)
        }
        const to = latestSchema
        const from = to - (await migrate(db, clock, { modules, mayContract, abandoned }))
        const versions = Object.fromEntries(await moduleVersions(db))
        const ofModules = Object.entries(versions).map(([name, version]) => `, ${name} ${version}`)
        const text = from === to ? `schema ${to}, nothing to do` : `schema ${from} -> ${to}`
        const dropped = abandoned.length > 0 ? `\ndropped: ${abandoned.join(', ')}` : ''
        call.output.result(
          {
            ...{ from, to },
            ...(ofModules.length > 0 && { rooms: versions }),
            ...(abandoned.length > 0 && { abandoned }),
          },
          text + ofModules.join('') + dropped,
        )
      })
    },
  },
]

function namesOf(list: unknown): string[] {
  return typeof list === 'string' ? [...new Set(list.split(',').map((name) => name.trim()))] : []
}
