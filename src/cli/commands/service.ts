import type { CommandWork } from '../../core/cli/command.ts'
import { withDeps } from '../../core/cli/work.ts'

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
    },
    example: 'migrate --json',
    async run(call) {
      const mayContract = call.values.contract === true
      const { dataDirectory, postgres } = call.config.database
      if (!postgres && !mayContract) {
        const { assertNoOlderProcess } = await import('../../core/database/sqlite/older-process.ts')
        assertNoOlderProcess(dataDirectory)
      }
      await withDeps(call, async ({ db, clock }) => {
        const { latestSchema, migrate } = await import('../../core/database/migrate.ts')
        const { moduleVersions } = await import('../../core/database/module-schemas.ts')
        const to = latestSchema
        const from =
          to -
          (await migrate(db, clock, {
            modules: call.modules,
            mayContract,
          }))
        const rooms = Object.fromEntries(await moduleVersions(db))
        const ofModules = Object.entries(rooms).map(([name, version]) => `, ${name} ${version}`)
        const text = from === to ? `schema ${to}, nothing to do` : `schema ${from} -> ${to}`
        call.output.result(
          { from, to, ...(ofModules.length > 0 && { rooms }) },
          text + ofModules.join(''),
        )
      })
    },
  },
]
