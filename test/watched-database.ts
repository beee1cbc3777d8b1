import type { KyselyPlugin, RootOperationNode } from 'kysely'
import type { TestOptions } from './app.ts'
import { connectTo } from './database.ts'

/** A read: its table and the number of its rows. */
export interface Read {
  readonly table: string | undefined
  readonly rows: number
}

/**
 * Options of a service whose database calls a function after every read, and waits for it before
 * the service gets the rows. So a test can act at an exact point.
 */
export async function watchedDatabase(
  onRead: (read: Read) => Promise<void> | void,
): Promise<Pick<TestOptions, 'directory' | 'deps'>> {
  const tables = new WeakMap<object, string | undefined>()
  const { directory, db, ...connected } = await connectTo()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind === 'SelectQueryNode') tables.set(queryId, tableOf(node))
      return node
    },
    async transformResult({ result, queryId }) {
      if (tables.has(queryId)) {
        await onRead({ table: tables.get(queryId), rows: result.rows.length })
      }
      return result
    },
  }
  return { directory, deps: { ...connected, db: db.withPlugin(plugin) } }
}

/** The same, with a function to act once, at the next read of a table. */
export async function interruptedReads(wanted: string): Promise<InterruptedReads> {
  let next: (() => Promise<unknown>) | undefined
  const options = await watchedDatabase(async ({ table }) => {
    if (table !== wanted) return
    const act = next
    next = undefined
    await act?.()
  })
  return {
    options,
    atNextRead(act) {
      next = act
    },
    isWaiting: () => next !== undefined,
  }
}

export interface InterruptedReads {
  readonly options: Pick<TestOptions, 'directory' | 'deps'>
  atNextRead(act: () => Promise<unknown>): void
  /** Whether that read is still to come. */
  isWaiting(): boolean
}

function tableOf(node: RootOperationNode): string | undefined {
  const [from] = node.kind === 'SelectQueryNode' ? (node.from?.froms ?? []) : []
  return from?.kind === 'TableNode'
    ? (from as { table?: { identifier: { name: string } } }).table?.identifier.name
    : undefined
}
