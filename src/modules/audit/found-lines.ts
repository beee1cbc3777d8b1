import { setImmediate } from 'node:timers/promises'
import type { MakeBatch } from '../../core/http/lists/bulk-answers.ts'
import { jsonLine } from '../../core/http/lists/json-line.ts'
import type { AuditLog } from './audit-log.ts'
import type { Position } from './cursor.ts'
import type { AuditFilters } from './filters.ts'

export interface FoundLinesOptions {
  /** With a time at which the list ends, since reading it is a record itself. */
  readonly filters: AuditFilters
  /** Called once, when the first records were read. */
  readonly begun: () => void
  /** Called before each batch is sent; ends the export by throwing. */
  readonly authorize: () => Promise<void>
  readonly makeBatch: MakeBatch
}

const batchSize = 500

/**
 * Yields all records that match as lines of JSON, the oldest first, in texts of many lines. It reads
 * batches by time as the consumer takes them, so that memory is constant and queries are short.
 */
export async function* foundLines(
  auditLog: Pick<AuditLog, 'page'>,
  { filters, begun, authorize, makeBatch }: FoundLinesOptions,
): AsyncGenerator<string> {
  let before: Position | undefined
  for (let isFirst = true; ; isFirst = false) {
    const { text, next } = await makeBatch(nextLines)
    if (isFirst) begun()
    if (text !== '') yield text
    if (next === null) return
    before = next
    await setImmediate() // lets other requests run, also if this client reads fast
  }

  async function nextLines() {
    const found = await auditLog.page(filters, { limit: batchSize, before, order: 'oldest' })
    if (found.records.length > 0) await authorize()
    return { text: found.records.map(jsonLine).join(''), next: found.next }
  }
}
