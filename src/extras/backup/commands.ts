import { type CommandCall, type CommandWork, UsageError } from '../../core/cli/command.ts'
import { assertNew, assertReadable } from '../../core/cli/files.ts'
import { shown } from '../../core/cli/output.ts'
import { progressTo } from '../../core/cli/progress.ts'
import { assertDatabaseThere, withDeps, withoutService, withServices } from '../../core/cli/work.ts'
import { batchesByOffset } from '../../core/database/batches.ts'
import type { PostgresAddress } from '../../core/database/postgres/address.ts'
import { type RowsOfTables, rowsInWords } from '../../core/database/rows-of-tables.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { readPassphrase } from './passphrase.ts'

const withoutKeys = {
  'without-keys': { type: 'boolean', doc: 'leave out the key set: authenticator apps become void' },
} as const

export const commands: readonly CommandWork[] = [
  {
    name: 'backup',
    options: {
      'without-keys': {
        type: 'boolean',
        doc: 'no passphrase: leave out the key set, and encrypt nothing',
      },
    },
    example: 'backup gatehouse-2026-11-20.backup',
    run: backUp,
  },
  { name: 'backup list', example: 'backup list', run: list },
  {
    name: 'backup verify',
    options: {
      configured: { type: 'boolean', doc: 'take BACKUP_PASSPHRASE, and ask for none' },
      unverified: {
        type: 'boolean',
        doc: 'a file without encryption: its checksum and its rows alone, without a passphrase',
      },
    },
    example: 'backup verify --configured /backups/gatehouse-20261120T030000Z-q3Rk0ZtB.backup',
    run: verify,
  },
  {
    name: 'restore',
    options: {
      ...withoutKeys,
      unverified: {
        type: 'boolean',
        doc: 'with --without-keys: ask for no passphrase and do not authenticate the file',
      },
      'keep-logins': {
        type: 'boolean',
        doc: 'keep sessions and tokens valid, also those that have ended since',
      },
    },
    example: 'restore gatehouse-2026-11-20.backup',
    run: restoreFrom,
  },
  {
    name: 'move',
    options: {
      to: { type: 'string', value: 'address', doc: 'postgres://...; its password in PGPASSWORD' },
    },
    example: 'move --to postgres://gatehouse@db.example.org/gatehouse',
    run: moveTo,
  },
]

async function backUp(call: CommandCall): Promise<void> {
  const { operands, output, terminal, values } = call
  const [path = ''] = operands
  await assertDatabaseThere(call)
  assertNew(path)
  const passphrase =
    values['without-keys'] === true ? undefined : await readPassphrase(call, { isNew: true })
  const { backup } = await import('./backup.ts')
  await withDeps(call, async (deps) => {
    const onProgress = progressTo(terminal.stderr, deps.clock)
    let leftOut: RowsOfTables = new Map()
    const sha256 = await backup({ ...deps, modules: call.modules }, path, {
      ...{ passphrase, onProgress },
      onLeftOut: (tables) => {
        leftOut = tables
      },
    })
    output.result(
      { file: path, sha256, ...leftOutField(leftOut) },
      `${path} is written; its SHA-256 is ${sha256}${leftOutLine(leftOut)}`,
    )
  })
}

function list(call: CommandCall): Promise<void> {
  return withServices(call, ['backups'], async ({ backups }) => {
    const { backupView } = await import('./routes.ts')
    await call.output.list(batchesByOffset(backups.page), backupView)
  })
}

async function verify(call: CommandCall): Promise<void> {
  const { operands, output, terminal, values } = call
  const [path = ''] = operands
  const unverified = values.unverified === true
  if (unverified && values.configured === true) {
    throw new UsageError('--unverified asks for no passphrase, so it goes without --configured')
  }
  assertReadable(path)
  const configured =
    values.configured === true ? call.config.backups.passphrase?.reveal() : undefined
  if (values.configured === true && configured === undefined) {
    throw new UsageError('BACKUP_PASSPHRASE is not set')
  }
  const { readBack } = await import('./read-back.ts')
  const { tablesOf } = await import('./copied-tables.ts')
  const { systemClock } = await import('../../core/lib/clock.ts')
  const passphrase = async () => configured ?? (await readPassphrase(call, { isNew: false }))
  const { createdAt, sha256, counts, leftOut } = await readBack(
    path,
    { passphrase, unverified },
    {
      tables: tablesOf(call.modules),
      onProgress: progressTo(terminal.stderr, terminal.clock ?? systemClock),
    },
  )
  output.result(
    {
      ...{ created_at: createdAt, sha256, rows: Object.fromEntries(counts) },
      ...{ verified: !unverified, ...leftOutField(leftOut) },
    },
    `good, as of ${shown(createdAt)}: ${sumOf(counts)}; its SHA-256 is ${sha256}${leftOutLine(leftOut)}`,
  )
}

async function restoreFrom(call: CommandCall): Promise<void> {
  const { operands, output, terminal, values } = call
  const [path = ''] = operands
  const [isWithoutKeys, unverified] = [values['without-keys'] === true, values.unverified === true]
  if (unverified && !isWithoutKeys) {
    throw new UsageError('--unverified goes with --without-keys: keys are opened by the passphrase')
  }
  assertReadable(path)
  const { restore } = await import('./restore.ts')
  const loading = async (deps: Deps) => {
    const keepLogins = values['keep-logins'] === true
    const { createdAt, counts, leftOut } = await restore({ ...deps, modules: call.modules }, path, {
      passphrase: () => passphraseOf(call, isWithoutKeys),
      withoutKeys: isWithoutKeys,
      unverified,
      keepLogins,
      onProgress: progressTo(terminal.stderr, deps.clock),
    })
    output.result(
      { created_at: createdAt, rows: Object.fromEntries(counts), ...leftOutField(leftOut) },
      `restored as of ${shown(createdAt)}: ${sumOf(counts)}${leftOutLine(leftOut)}\n${advice(values)}`,
    )
  }
  const load = () => withDeps(call, loading)
  const { dataDirectory, postgres } = call.config.database
  if (postgres) return load()
  const { withoutEmptyDatabase, withoutEmptyFolder } = await import('./refused-restore.ts')
  const { makeDataDirectory } = await import('../../core/database/sqlite/connect.ts')
  const made = { directory: dataDirectory, first: makeDataDirectory(dataDirectory) }
  await withoutService(call, () =>
    withoutEmptyFolder(made, () => withoutEmptyDatabase(dataDirectory, load)),
  )
}

/** @throws UsageError as `readPassphrase`, with a hint where useful */
async function passphraseOf(call: CommandCall, isWithoutKeys: boolean): Promise<string> {
  try {
    return await readPassphrase(call, { isNew: false })
  } catch (error) {
    if (!isWithoutKeys || !(error instanceof UsageError)) throw error
    throw new UsageError(`${error.message}: it authenticates the file, unless --unverified`)
  }
}

async function moveTo(call: CommandCall): Promise<void> {
  const target = await targetOf(call.values.to)
  const { postgres } = call.config.database
  if (postgres) throw new UsageError('DATABASE_URL is set: the move is from SQLite')
  await assertDatabaseThere(call)
  await withoutService(call, () => moveDatabase(call, target))
}

async function moveDatabase(call: CommandCall, target: PostgresAddress): Promise<void> {
  const { config, output, terminal } = call
  const { assertUnused } = await import('../../core/database/sqlite/exclusive-access.ts')
  const { connect } = await import('../../core/database/connect.ts')
  const { move } = await import('./move.ts')
  assertUnused(config.database.dataDirectory) // by another command, or a service before 0.10.0
  const { db } = connect({
    ...config.database,
    postgres: target,
    nodes: { confirmsAtClose: true },
  })
  try {
    await withDeps(call, async ({ clock, events, ...from }) => {
      const onProgress = progressTo(terminal.stderr, clock)
      let leftOut: RowsOfTables = new Map()
      const { host, database } = target
      const named = `${host}/${database}`
      const counts = await move({
        from,
        to: db,
        target: named,
        modules: call.modules,
        clock,
        events,
        onProgress,
        onLeftOut: (tables) => {
          leftOut = tables
        },
      })
      output.result(
        { rows: Object.fromEntries(counts), ...leftOutField(leftOut) },
        `moved: ${sumOf(counts)}${leftOutLine(leftOut)}\nStart the service on the new database with the same master key; the old one is left as it was.`,
      )
    })
  } finally {
    await db.destroy()
  }
}

/** @throws UsageError if invalid, or with a password */
async function targetOf(to: unknown): Promise<PostgresAddress> {
  if (typeof to !== 'string')
    throw new UsageError('where to? move --to postgres://user@host/database')
  const { parsePostgresAddress } = await import('../../core/database/postgres/address.ts')
  const { isLoopback } = await import('../../core/addresses/loopback.ts')
  let address: ReturnType<typeof parsePostgresAddress>
  try {
    address = parsePostgresAddress(to, isLoopback)
  } catch (error) {
    throw new UsageError(`--to ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!address.password) return address
  throw new UsageError('a password is never an argument: set PGPASSWORD, or PGPASSFILE')
}

function sumOf(counts: ReadonlyMap<string, number>): string {
  const rows = counts.values().reduce((sum, count) => sum + count, 0)
  return `${rows} rows in ${counts.size} tables, ${counts.get('users') ?? 0} users`
}

/** An unverified file may name any table. */
function leftOutLine(tables: RowsOfTables): string {
  const names = shown(rowsInWords(tables))
  return tables.size === 0 ? '' : `\nleft out, of no module of the program: ${names}`
}

function leftOutField(tables: RowsOfTables) {
  return tables.size === 0 ? {} : { left_out: Object.fromEntries(tables) }
}

function advice(values: CommandCall['values']): string {
  const lines = [
    values['keep-logins'] === true
      ? 'Logins of that time are valid again, ended ones too.'
      : 'All logins have ended, and all keys of programs and app passwords. Passwords, roles and recovery codes are those of that time.',
  ]
  if (values['without-keys'] === true) {
    lines.push('Authenticator apps are void: their owners log in with a recovery code.')
  }
  return lines.join('\n')
}
