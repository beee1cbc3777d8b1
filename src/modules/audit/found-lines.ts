import { setImmediate } from 'node:timers/promises'
import type { MakeBatch } from '../../core/http/lists/bulk-answers.ts'
import { jsonLine } from '../../core/http/lists/json-line.ts'
import type { AuditLog } from './audit-log.ts'
import type { Position } from './cursor.ts'
import type { AuditFilters } from './filters.ts'

export interface FoundLinesOptions {
  /** Needs an end time: the export creates a record. */
  readonly filters: AuditFilters
  readonly begun: () => void
  /** Called before each batch; throws to end the export. */
  readonly authorize: () => Promise<void>
  readonly makeBatch: MakeBatch
}

const batchSize = 500

/** JSON Lines, oldest first. Batches by time keep memory constant and queries short. */
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
    await setImmediate() // lets other requests run when the client reads fast
  }

  async function nextLines() {
    const found = await auditLog.page(filters, { limit: batchSize, before, order: 'oldest' })
    if (found.records.length > 0) await authorize()
    return { text: found.records.map(jsonLine).join(''), next: found.next }
  }
}
