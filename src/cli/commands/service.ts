import type { Command } from '../command.ts'
import { withDeps } from '../work.ts'

export const serviceCommands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Runs the service, as `npm start` does',
    example: 'start',
    async run({ terminal }) {
      const { start } = await import('../../start.ts')
      await start({ ...terminal.env })
    },
  },
  {
    name: 'migrate',
    summary:
      'Brings the schema of the database up to date, and makes the database where there is none',
    example: 'migrate --json',
    run: (call) =>
      withDeps(call, async ({ db, clock }) => {
        const { latestSchema, migrate } = await import('../../database/migrate.ts')
        const to = latestSchema
        const from = to - (await migrate(db, clock))
        call.output.result(
          { from, to },
          from === to ? `schema ${to}, nothing to do` : `schema ${from} -> ${to}`,
        )
      }),
  },
]
