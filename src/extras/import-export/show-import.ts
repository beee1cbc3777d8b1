import type { Static } from '../../core/http/schemas.ts'
import type { ImportReport } from './import.ts'
import type { ImportBody } from './schemas.ts'

export function showImport(report: ImportReport): Static<typeof ImportBody> {
  return {
    dry_run: report.dryRun,
    lines: report.lines,
    imported: report.imported,
    errors: report.errors.map(({ line, path, message }) => ({ line, path: [...path], message })),
    errors_total: report.errorsTotal,
    ...(report.ignoredColumns.length > 0 && { ignored_columns: [...report.ignoredColumns] }),
    ...(report.preview && { preview: report.preview }),
  }
}
