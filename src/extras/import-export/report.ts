import { type CommandCall, CommandError, type Terminal } from '../../core/cli/command.ts'
import type { Difference } from './foreign-changes.ts'
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
  if (isShown) output.result({ ...showImport(report), ...changesOf(report) }, textOf(report))
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

function changesOf({ changed, differences = [] }: ImportReport): object {
  if (changed === undefined) return {}
  const changes = differences.map(({ username, present, wanted }) => ({
    ...{ username, from: present },
    to: { ...wanted, ...(wanted.verified && { verified: wanted.verified.address }) },
  }))
  return { changed, changes }
}

function textOf(report: ImportReport): string {
  const { changed = 0, differences = [], dryRun } = report
  const told = dryRun ? differences.map(describeChange) : []
  const more = changed === 0 ? '' : `, ${changed} ${dryRun ? 'would be changed' : 'changed'}`
  return [...told, summaryOf(report) + more].join('\n')
}

function describeChange({ username, present, wanted }: Difference): string {
  const to: Readonly<Record<string, unknown>> = { ...wanted, verified: wanted.verified?.address }
  const changes = Object.entries(present).map(
    ([field, before]) => `${field} ${JSON.stringify(before)} -> ${JSON.stringify(to[field])}`,
  )
  return `${username}: ${changes.join(', ')}`
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
