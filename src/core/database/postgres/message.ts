import type { Connection, Submittable } from 'pg'
import { type Encoded, parserOf } from './values.ts'

export interface Statement {
  /** One statement; several if there are no values and it is not kept. */
  readonly text: string
  readonly values: readonly Encoded[]
  /** Whether the session keeps it parsed and planned, under a name. */
  readonly isKept?: boolean
}

/** What the server answers to the last statement of a message. */
export interface Answer {
  readonly rows: object[]
  /** For example 'SELECT'. */
  readonly command: string
  readonly rowCount: number
}

/** The statements that a session keeps, by their text. */
export type Kept = Map<string, KeptStatement>

interface KeptStatement {
  readonly name: string
  isParsed: boolean
  /** Of its answer, once that was asked for. */
  columns?: Columns | undefined
}

/** The columns of an answer, in their order. */
interface Columns {
  readonly names: readonly string[]
  readonly parsers: readonly (((text: string) => unknown) | undefined)[]
}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

// The name of a statement is unknown; its columns have changed.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const forgotten = new Set(['26000', '0A000'])
const noColumns: Columns = { names: [], parsers: [] }

/**
 * One message to the server, which costs one round trip: a statement, and others before it whose
 * answers nothing waits for, such as `begin`. If one fails, the server skips the rest, because they
 * all end with one Sync: as messages of their own, they would be executed without a transaction.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 *
 * pg lets its users write such queries, as pg-cursor does. Its own asks for the columns of a kept
 * statement each time and emits an event for each row.
 */
export class Message implements Submittable {
  /** The commands that have completed, also if a later one has failed. */
  readonly completed: string[] = []
  readonly #statement: Statement
  readonly #before: readonly Statement[]
  readonly #kept: Kept
  readonly #settle = Promise.withResolvers<Answer>()
  #columns = noColumns
  /** Of the statement that runs. */
  #hasColumns = false
  #rows: object[] = []
  #isForgotten = false

  constructor(statement: Statement, before: readonly Statement[], kept: Kept) {
    this.#statement = statement
    this.#before = before
    this.#kept = kept
  }

  get answer(): Promise<Answer> {
    return this.#settle.promise
  }

  /** Whether it failed because the session no longer has a kept statement; it may be sent again. */
  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Called by pg when it is the turn of this message. */
  submit(connection: Connection): null {
    const statements = [...this.#before, this.#statement]
    if (statements.every(isPlain)) {
      connection.query(statements.map(({ text }) => text).join(';'))
      return null
    }
    connection.stream.cork()
    for (const each of this.#before) {
      this.#bind(connection, each)
      connection.execute({}, true)
    }
    const columns = this.#bind(connection, this.#statement)
    if (columns) this.#columns = columns
    else connection.describe({ type: 'P' }, true)
    this.#hasColumns = columns !== undefined
    connection.execute({}, true)
    connection.sync()
    connection.stream.uncork()
    return null
  }

  /** Parses a statement, unless the session has done so, and binds its values. */
  #bind(connection: Connection, { text, values, isKept }: Statement): Columns | undefined {
    const kept = isKept ? this.#keptOf(text) : undefined
    const name = kept?.name ?? ''
    if (!kept?.isParsed) {
      // An attempt that failed may have parsed it all the same.
      if (kept) connection.close({ type: 'S', name }, true)
      connection.parse({ name, text, types: [] }, true)
    }
    connection.bind({ statement: name, values: [...values] }, true)
    return kept?.columns
  }

  #keptOf(text: string): KeptStatement {
    const kept = this.#kept.get(text) ?? {
      name: `gatehouse_${this.#kept.size}`,
      isParsed: false,
    }
    this.#kept.set(text, kept)
    return kept
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
    }
    this.#hasColumns = true
    this.#rows = []
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.completed.length < this.#before.length) return
    const { names, parsers } = this.#columns
    const row: Record<string, unknown> = {}
    for (let at = 0; at < fields.length; at += 1) {
      const text = fields[at]
      const parse = parsers[at]
      row[names[at] ?? ''] = typeof text === 'string' && parse ? parse(text) : text
    }
    this.#rows.push(row)
  }

  /** The text is for example 'UPDATE 3' or 'INSERT 0 1'. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.completed.push(text)
    if (this.completed.length <= this.#before.length) return
    if (!this.#hasColumns) this.#rows = [] // they are those of an earlier statement
    this.#hasColumns = false
  }

  handleError(error: Error & { readonly code?: string }): void {
    const isKept = this.#statement.isKept || this.#before.some((each) => each.isKept)
    this.#isForgotten = isKept === true && forgotten.has(error.code ?? '')
    if (this.#isForgotten) this.#forget()
    this.#settle.reject(error)
  }

  handleReadyForQuery(): void {
    for (const { isKept, text } of this.#before) if (isKept) this.#keptOf(text).isParsed = true
    if (this.#statement.isKept) {
      const kept = this.#keptOf(this.#statement.text)
      kept.isParsed = true
      kept.columns = this.#columns
    }
    const [command = '', ...counts] = (this.completed.at(-1) ?? '').split(' ')
    this.#settle.resolve({ rows: this.#rows, command, rowCount: Number(counts.at(-1) ?? 0) })
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(connection: Connection & { sendCopyFail(reason: string): void }): void {
    connection.sendCopyFail('there is nothing to copy')
  }
  handleCopyData(): void {}

  /** All of them: what took one, such as `discard all`, took the others, and each costs an attempt. */
  #forget(): void {
    for (const kept of this.#kept.values()) {
      kept.isParsed = false
      kept.columns = undefined
    }
  }
}

/** Whether the text may hold several statements. */
export function isPlain({ values, isKept = false }: Statement): boolean {
  return values.length === 0 && !isKept
}
