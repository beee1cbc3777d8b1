import { createReadStream } from 'node:fs'
import { CommandError, type CommandWork, type Terminal } from '../../core/cli/command.ts'
import { assertReadable } from '../../core/cli/files.ts'
import { withServices } from '../../core/cli/work.ts'
import type { ImportReport } from './import.ts'
import type { Mistake } from './line.ts'

const progressEveryLines = 10_000

export const commands: readonly CommandWork[] = [
  {
    name: 'account import',
    options: { 'dry-run': { type: 'boolean', doc: 'finds every mistake and changes nothing' } },
    example: 'account import accounts.jsonl --dry-run',
    async run(call) {
      const { operands, values, output, terminal } = call
      const [file = '-'] = operands
      if (file !== '-') assertReadable(file)
      await withServices(call, ['imports'], async ({ imports }) => {
        const { showImport } = await import('./routes.ts')
        const report = await imports.run(read(file, terminal), {
          dryRun: values['dry-run'] === true,
          otherwise: 'csv',
          onProgress: tellProgress(terminal),
        })
        const isShown = report.errorsTotal === 0 || values.json === true
        if (!isShown) {
          for (const mistake of report.errors) terminal.stderr.write(`${describe(mistake)}\n`)
        }
        if (report.ignoredColumns.length > 0 && values.json !== true) {
          terminal.stderr.write(`ignored columns: ${report.ignoredColumns.join(', ')}\n`)
        }
        if (isShown) output.result(showImport(report), summaryOf(report))
        if (report.errorsTotal > 0) throw new CommandError(summaryOf(report))
      })
    },
  },
  {
    name: 'account export',
    options: {
      'with-hashes': { type: 'boolean', doc: 'adds the password hashes: keep them safe' },
    },
    example: 'account export > accounts.jsonl',
    run: (call) =>
      withServices(call, ['passwords'], async ({ passwords }, deps) => {
        const { exportAccounts } = await import('./export.ts')
        const withHashes = call.values['with-hashes'] === true
        const unknownHash = await passwords.dummy()
        await call.output.stream(exportAccounts(deps, { withHashes, unknownHash }))
      }),
  },
]

function read(file: string, { stdin }: Terminal): AsyncIterable<Uint8Array> {
  return file === '-' ? stdin : createReadStream(file)
}

function tellProgress({ stderr }: Terminal): (lines: number) => void {
  let told = 0
  return (lines) => {
    if (lines - told < progressEveryLines) return
    told = lines
    stderr.write(`${lines} lines read\n`)
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
