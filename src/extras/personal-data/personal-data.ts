import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../core/database/database.ts'
import type { Events } from '../../core/events/events.ts'
import type { MakeBatch } from '../../core/http/lists/bulk-answers.ts'
import { type Clock, isoTime } from '../../core/lib/clock.ts'
import type { ExportSection } from '../../core/module/export-section.ts'
import type { Hook } from '../../core/module/hooks.ts'
import { sensitiveRead } from '../../modules/audit/events.ts'

/** What the service holds of a person, as one JSON object. docs/personal-data.md */
export interface PersonalData {
  /**
   * Reads it as texts that follow each other: a person may have very many posts and records. Its event
   * is told with the first text.
   */
  of(userId: number, options?: ReadOptions): AsyncGenerator<string>
}

export interface ReadOptions {
  /** Called before each batch is given; ends the export by throwing. */
  readonly authorize?: () => Promise<void>
  /** Reads a batch when its turn in the queue comes; absent: at once. */
  readonly makeBatch?: MakeBatch
}

export interface PersonalDataDeps {
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly sections: Hook<readonly ExportSection[]>
}

export function createPersonalData({
  clock,
  db,
  events,
  sections,
}: PersonalDataDeps): PersonalData {
  return {
    async *of(userId, { authorize, makeBatch = atOnce } = {}) {
      await authorize?.()
      events.emit(sensitiveRead, { what: 'personal_data', user_id: userId })
      const head = JSON.stringify({ exported_at: isoTime(clock.now()), user_id: userId })
      yield `${head.slice(0, -1)},"data":{`
      const all = [...sections].flatMap(({ subscriber }) => subscriber)
      for (const [index, section] of all.entries()) {
        const { name, isList } = section
        yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:${isList ? '[' : ''}`
        let count = 0
        const batches = section.read(db, userId)[Symbol.asyncIterator]()
        for (;;) {
          const batch = await makeBatch(() => batches.next())
          if (batch.done) break
          await authorize?.()
          const items = batch.value.map((item) => JSON.stringify(item))
          if (items.length > 0) yield `${count > 0 ? ',' : ''}${items.join(',')}`
          count += items.length
          await setImmediate()
        }
        yield isList ? ']' : count === 0 ? 'null' : ''
      }
      yield '}}\n'
    },
  }
}

function atOnce<T>(work: () => Promise<T>): Promise<T> {
  return work()
}
