import { setTimeout } from 'node:timers/promises'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import { assertDatabaseThere, withoutService, withServices } from '../../core/cli/work.ts'
import type { FilesOutside } from '../../core/module/hooks.ts'

export const commands: readonly CommandWork[] = [
  { name: 'compact', example: 'compact', run: compact },
]

const batchSize = 1000

/**
 * First does what erasures have left to the jobs of the service, then rewrites the database. On
 * SQLite no service may be running; on PostgreSQL the tables are locked one after another.
 */
async function compact(call: CommandCall): Promise<void> {
  await assertDatabaseThere(call)
  await withoutService(call, () => writeAnew(call))
}

async function writeAnew(call: CommandCall): Promise<void> {
  const { config, output, terminal } = call
  const { dataDirectory, postgres } = config.database
  const beside = await withServices(
    call,
    ['erasure', 'filesOutside', 'idempotency', 'users'],
    async ({ erasure, filesOutside, idempotency, users }) => {
      const steps = [
        () => users.purgeRemoved(batchSize),
        () => erasure.sweep(batchSize),
        () => erasure.clear(batchSize),
        () => idempotency.purge(batchSize),
      ]
      for (const step of steps) while ((await step()) === batchSize);
      return (await filesOutside()).map(described).join('')
    },
  )
  const wait = (milliseconds: number) => setTimeout(milliseconds)
  if (!postgres) {
    const { compactSqlite } = await import('../../core/database/sqlite/compact.ts')
    const done = await compactSqlite(dataDirectory, wait)
    return output.result(done, `${done.before} bytes -> ${done.after}${beside}`)
  }
  const { compactPostgres } = await import('../../core/database/postgres/compact.ts')
  const onTable = (name: string) => void terminal.stderr.write(`${name}\n`)
  const done = await compactPostgres(postgres, { wait, onTable })
  const { before, after, left, tables } = done
  output.result(done, `${tables} tables, ${before} bytes -> ${after}${beside}`)
  if (left.length === 0) return
  const names = left.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
  throw new CommandError(`not written anew: ${names}`, exitCodes.failed.code)
}

/** A line on files that no database holds. */
function described({ folder, count, nouns: [one, several] }: FilesOutside): string {
  return `\n${folder} has ${count} ${count === 1 ? one : several}: delete those that you do not need`
}
