import type { Connection, Submittable } from 'pg'
import { type Encoded, parserOf } from './values.ts'

export interface Statement {
  /** Several statements are allowed without values if it is not kept. */
  readonly text: string
  readonly values: readonly Encoded[]
  /** Whether the session keeps it as a named prepared statement. */
  readonly isKept?: boolean
}

/** The answer to the last statement of a message. */
export interface Answer {
  readonly rows: object[]
  /** For example 'SELECT'. */
  readonly command: string
  readonly rowCount: number
}

/** By their text. */
export type Kept = Map<string, KeptStatement>

interface KeptStatement {
  readonly name: string
  isParsed: boolean
  columns?: Columns | undefined
}

interface Columns {
  readonly names: readonly string[]
  readonly parsers: readonly (((text: string) => unknown) | undefined)[]
}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

// Unknown statement name; changed columns.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const forgotten = new Set(['26000', '0A000'])
const noColumns: Columns = { names: [], parsers: [] }

/**
 * Sends a statement in one round trip with preceding statements such as `begin`. All end with one
 * Sync, so the server skips the rest after an error: in separate messages, the rest would run
 * without a transaction.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 *
 * Replaces pg's own query, which requests the columns of a prepared statement each time and emits
 * an event per row.
 */
export class Message implements Submittable {
  /** Complete even if a later command failed. */
  readonly completed: string[] = []
  readonly #statement: Statement
  readonly #before: readonly Statement[]
  readonly #kept: Kept
  readonly #settle = Promise.withResolvers<Answer>()
  #columns = noColumns
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

  /** Whether the session lost a prepared statement; the message can be retried. */
  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Called by pg. */
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

  /** Parses a statement if necessary and binds its values. */
  #bind(connection: Connection, { text, values, isKept }: Statement): Columns | undefined {
    const kept = isKept ? this.#keptOf(text) : undefined
    const name = kept?.name ?? ''
    if (!kept?.isParsed) {
      // A failed attempt may have parsed the statement.
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

  /** For example 'UPDATE 3' or 'INSERT 0 1'. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.completed.push(text)
    if (this.completed.length <= this.#before.length) return
    if (!this.#hasColumns) this.#rows = [] // rows of an earlier statement
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

  /** Forgets all: `discard all` removes all, and each would cost a failed attempt. */
  #forget(): void {
    for (const kept of this.#kept.values()) {
      kept.isParsed = false
      kept.columns = undefined
    }
  }
}

export function isPlain({ values, isKept = false }: Statement): boolean {
  return values.length === 0 && !isKept
}

/** False if the text may have several statements. */
export function isSingle(statement: Statement): boolean {
  return !isPlain(statement) || !statement.text.includes(';')
}
