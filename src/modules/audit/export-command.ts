import type { CommandCall, CommandWork } from '../../core/cli/command.ts'
import { timeOption } from '../../core/cli/value-options.ts'
import { withServices } from '../../core/cli/work.ts'
import { jsonLine } from '../../core/http/lists/json-line.ts'
import type { OpenedRecord } from './opened-record.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'audit export',
    options: {
      follow: {
        type: 'boolean',
        doc: 'goes on with new records until a signal, then exits with 0',
      },
      since: {
        type: 'string',
        value: 'time',
        doc: 'only records from a time on, like 2026-01-15T12:00:00Z, or of the last 24h (s, m, h, d)',
      },
    },
    example: 'audit export --since 24h > audit.jsonl',
    run: exportAudit,
  },
]

/** The export is recorded first. */
async function exportAudit(call: CommandCall): Promise<void> {
  const { output, terminal, values } = call
  const follows = values.follow === true
  const sinceOf = timeOption(call, 'since')
  const { untilSignal } = await import('../../core/cli/signals.ts')
  const { exportRecords, followRecords } = await import('./export.ts')
  const { sensitiveRead } = await import('./events.ts')
  const { inSnapshot } = await import('../../core/database/snapshot.ts')
  const { transact } = await import('../../core/database/transactions.ts')
  await withServices(call, ['keys'], async ({ keys }, { clock, db, events }) => {
    const since = sinceOf?.(clock.now())
    const filters = since === undefined ? [] : ['since']
    await transact(db, [], (trx) =>
      events.emitInTransaction(trx, sensitiveRead, { what: 'audit', filters }),
    )
    const seen = new Map<string, number>()
    const stop = follows ? (terminal.stop ?? untilSignal()) : undefined
    const isOpen = await inSnapshot(db, (trx) =>
      written(exportRecords(trx, { keys }, { since, seen }), stop),
    )
    if (!isOpen || !stop) return
    const onLoss = (error: Error | null) => {
      const state = error ? `not available: ${error.message}; trying again` : 'available again'
      terminal.stderr.write(`warning: the database is ${state}\n`)
    }
    await written(followRecords(db, { keys, clock }, { since, seen, stop, onLoss }), stop)
  })

  /** False after a closed stream or a signal. */
  async function written(
    batches: AsyncIterable<readonly OpenedRecord[]>,
    stop: AbortSignal | undefined,
  ): Promise<boolean> {
    let isComplete = false
    async function* texts(): AsyncGenerator<string> {
      for await (const records of batches) {
        if (stop?.aborted) return
        yield records.map(jsonLine).join('')
      }
      isComplete = true
    }
    await output.stream(texts())
    return isComplete
  }
}
