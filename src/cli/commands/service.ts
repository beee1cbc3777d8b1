import type { CommandWork } from '../command.ts'
import { withDeps } from '../work.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'start',
    example: 'start',
    async run({ rooms, terminal }) {
      const { start } = await import('../../start.ts')
      await start({ ...terminal.env }, rooms)
    },
  },
  {
    name: 'migrate',
    example: 'migrate --json',
    run: (call) =>
      withDeps(call, async ({ db, clock }) => {
        const { latestSchema, migrate } = await import('../../database/migrate.ts')
        const to = latestSchema
        const from = to - (await migrate(db, clock, { rooms: call.rooms }))
        call.output.result(
          { from, to },
          from === to ? `schema ${to}, nothing to do` : `schema ${from} -> ${to}`,
        )
      }),
  },
]
