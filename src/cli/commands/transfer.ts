import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import pino from 'pino'
import { createLog, type Deps, systemDeps } from '../../deps.ts'
import { createServices, type Services } from '../../services.ts'
import { exportAccounts } from '../../transfer/export.ts'
import type { ImportReport, Mistake } from '../../transfer/import.ts'
import { showImport } from '../../transfer/routes.ts'
import { type Command, type CommandCall, CommandError } from '../command.ts'

const progressEveryLines = 10_000

/** Works on the database directly, also while the service runs. Standard output is the result's. */
async function withServices(
  { config }: CommandCall,
  work: (services: Services, deps: Deps) => Promise<void>,
): Promise<void> {
  const log = createLog(config.logLevel, pino.destination({ fd: 2, sync: true }))
  const deps = { ...systemDeps(config), log }
  try {
    await work(await createServices(deps), deps)
  } finally {
    await deps.db.destroy()
  }
}

export const transferCommands: readonly Command[] = [
  {
    name: 'account import',
    operands: ['file|-'],
    summary: 'Imports accounts from lines of JSON, all of them or none',
    options: { 'dry-run': { type: 'boolean' } },
    run: (call) =>
      withServices(call, async ({ imports }) => {
        const { operands, values, output } = call
        const report = await imports.run(read(operands[0] ?? '-'), {
          dryRun: values['dry-run'] === true,
          by: null,
          onProgress: tellProgress(),
        })
        if (values.json === true) process.stdout.write(`${JSON.stringify(showImport(report))}\n`)
        else for (const mistake of report.errors) process.stderr.write(`${describe(mistake)}\n`)
        if (report.errorsTotal > 0) throw new CommandError(summaryOf(report))
        if (values.json !== true) output.message(summaryOf(report))
      }),
  },
  {
    name: 'account export',
    summary: 'Writes every account as a line of JSON; with its hash where an import shall read it',
    options: { 'with-hashes': { type: 'boolean' } },
    run: (call) =>
      withServices(call, async ({ events }, deps) => {
        const withHashes = call.values['with-hashes'] === true
        events.record('sensitive_read', { what: 'account_export', hashes: withHashes, by: null })
        for await (const lines of exportAccounts(deps, { withHashes })) {
          if (!process.stdout.write(lines)) await once(process.stdout, 'drain')
        }
      }),
  },
]

function read(file: string): AsyncIterable<Uint8Array> {
  return file === '-' ? process.stdin : createReadStream(file)
}

function tellProgress(): (lines: number) => void {
  let told = 0
  return (lines) => {
    if (lines - told < progressEveryLines) return
    told = lines
    process.stderr.write(`${lines} lines read\n`)
  }
}

function describe({ line, path, message }: Mistake): string {
  return `line ${line}: ${[...path, message].join(' ')}`
}

function summaryOf({ dryRun, lines, imported, errors, errorsTotal }: ImportReport): string {
  if (errorsTotal === 0) {
    return dryRun ? `${imported} accounts would be imported` : `${imported} accounts imported`
  }
  const shown = errorsTotal > errors.length ? `, the first ${errors.length} shown` : ''
  return `nothing was imported: ${errorsTotal} errors in ${lines} lines${shown}`
}
