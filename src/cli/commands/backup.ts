import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { backup } from '../../backup/backup.ts'
import { move } from '../../backup/move.ts'
import { restore } from '../../backup/restore.ts'
import type { Config } from '../../config.ts'
import { assertUnused } from '../../database/alone.ts'
import { type Connected, databaseFileName } from '../../database/connect.ts'
import { type Deps, systemDeps } from '../../deps.ts'
import { type Command, type CommandCall, CommandError } from '../command.ts'
import { readPassphrase } from '../passphrase.ts'
import { progressTo } from '../progress.ts'

const tell = (text: string) => void process.stderr.write(text)

export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    operands: ['file'],
    summary: 'Writes all data to a new file, while the service goes on',
    options: { 'without-keys': { type: 'boolean' } },
    async run(call) {
      const { config, operands, output, values } = call
      const [path = ''] = operands
      assertDatabase(config)
      const passphrase =
        values['without-keys'] === true ? undefined : await readPassphrase(process, { isNew: true })
      await withDatabase(call, async (deps) => {
        const onProgress = progressTo(tell, deps.clock)
        const sha256 = await backup(deps, path, { passphrase, onProgress })
        output.message(`${path} is written; its SHA-256 is ${sha256}`)
      })
    },
  },
  {
    name: 'restore',
    operands: ['file'],
    summary: 'Fills an empty database from a backup; ends all logins unless --keep-logins',
    options: { 'without-keys': { type: 'boolean' }, 'keep-logins': { type: 'boolean' } },
    run: (call) =>
      withDatabase(call, async (deps) => {
        const { operands, output, values } = call
        const [path = ''] = operands
        const restored = await restore(deps, path, {
          passphrase: () => readPassphrase(process, { isNew: false }),
          withoutKeys: values['without-keys'] === true,
          keepLogins: values['keep-logins'] === true,
          onProgress: progressTo(tell, deps.clock),
        })
        output.message(
          `restored as of ${restored.createdAt}: ${sumOf(restored.counts)}\n${advice(values)}`,
        )
      }),
  },
]

/** A target of `move`, by its address. @throws CommandError for an address that is none */
export type ConnectTo = (address: string, config: Config) => Pick<Connected, 'db'>

/** `move`, for those databases that can be connected to. */
export function moveCommand(connectTo: ConnectTo): Command {
  return {
    name: 'move',
    summary: 'Copies the database to an empty one at --to; the service must be stopped',
    options: { to: { type: 'string' } },
    async run(call) {
      const { config, output, values } = call
      if (typeof values.to !== 'string') throw new CommandError('move --to <address>', 2)
      assertUnused(config.database.dataDirectory)
      const { db } = connectTo(values.to, config)
      try {
        await withDatabase(call, async ({ clock, ...from }) => {
          const counts = await move({ from, to: db, clock, onProgress: progressTo(tell, clock) })
          output.message(
            `moved: ${sumOf(counts)}\nStart the service on the new database with the same master key; the old one is left as it was.`,
          )
        })
      } finally {
        await db.destroy()
      }
    },
  }
}

async function withDatabase(
  { config }: CommandCall,
  work: (deps: Deps) => Promise<void>,
): Promise<void> {
  const deps = systemDeps(config)
  try {
    await work(deps)
  } finally {
    await deps.db.destroy()
  }
}

/** A mistyped DATA_DIR must not become a new database. */
function assertDatabase({ database }: Config): void {
  const path = join(database.dataDirectory, databaseFileName)
  if (!existsSync(path)) throw new CommandError(`there is no database at ${path}`)
}

function sumOf(counts: ReadonlyMap<string, number>): string {
  const rows = counts.values().reduce((sum, count) => sum + count, 0)
  return `${rows} rows in ${counts.size} tables, ${counts.get('users') ?? 0} users`
}

function advice(values: CommandCall['values']): string {
  const lines = [
    values['keep-logins'] === true
      ? 'Logins of that time are valid again, ended ones too.'
      : 'All logins have ended. Passwords, roles and recovery codes are those of that time.',
  ]
  if (values['without-keys'] === true) {
    lines.push('Authenticator apps are void: their owners log in with a recovery code.')
  }
  return lines.join('\n')
}
