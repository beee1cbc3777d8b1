import { type CommandCall, CommandError, type Terminal } from '../../core/cli/command.ts'
import type { ImportReport } from './import.ts'
import type { Mistake } from './line.ts'
import { showImport } from './show-import.ts'

const progressEveryLines = 10_000

/** @throws CommandError after a mistake */
export function tellReport({ values, output, terminal }: CommandCall, report: ImportReport): void {
  const isShown = report.errorsTotal === 0 || values.json === true
  if (!isShown) {
    for (const mistake of report.errors) terminal.stderr.write(`${describe(mistake)}\n`)
  }
  if (report.ignoredColumns.length > 0 && values.json !== true) {
    terminal.stderr.write(`ignored columns: ${report.ignoredColumns.join(', ')}\n`)
  }
  if (isShown) output.result(showImport(report), summaryOf(report))
  if (report.errorsTotal > 0) throw new CommandError(summaryOf(report))
}

export function tellProgress({ stderr }: Terminal): (lines: number) => void {
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
