import type { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { steering } from '../http/lists/json-line.ts'
import { alignedLine } from '../lib/text.ts'

type Cell = string | number | boolean | null | readonly string[] | object
/** Rows of a list have the same names in the same order. */
export type Row = Readonly<Record<string, Cell>>

/** Standard output: text, or JSON with `--json`; results only. */
export interface Output {
  /** Columns, or a JSON array. */
  rows(rows: readonly Row[]): void
  /** A line per field, or a JSON object. */
  record(row: Row): void
  /**
   * Streams with backpressure. A closed reader ends the stream without an error. Shows progress if
   * only standard error is a terminal.
   */
  list<Item>(batches: AsyncIterable<readonly Item[]>, rowOf: (item: Item) => Row): Promise<void>
  /** Raw texts; otherwise like `list`. */
  stream(texts: AsyncIterable<string>): Promise<void>
  /** A sentence, or `{"message": ...}`. */
  message(text: string): void
  /**
   * The sentence, or the record as JSON. Written when the command ends, after other nodes have
   * confirmed its changes.
   */
  result(record: object, text: string): void
  text(text: string): void
  /** False if the reader closed the stream. @throws Error, e.g. disk full */
  flush(): Promise<boolean>
}

export interface Streams {
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

const progressEveryMs = 1000

export function createOutput({ stdout, stderr }: Streams, json: boolean): Output {
  let failure: (Error & { code?: string }) | undefined
  let isUsed = false
  let held = ''

  return {
    rows: (rows) => write(json ? `${JSON.stringify(rows)}\n` : table(rows, widthsOf(rows), true)),

    record(row) {
      const lines = Object.entries(row).map(([name, cell]) => ({ name, cell }))
      write(json ? `${JSON.stringify(row)}\n` : table(lines, widthsOf(lines), false))
    },

    async list(batches, rowOf) {
      let widths: readonly number[] | undefined
      let count = 0
      const progress = progressOf()
      for await (const items of batches) {
        const rows = items.map(rowOf)
        const isFirst = widths === undefined
        widths ??= widthsOf(rows)
        const lines = rows.map((row) => JSON.stringify(row)).join(',\n')
        await written(json ? `${isFirst ? '[' : ',\n'}${lines}` : table(rows, widths, isFirst))
        if (failure) break
        count += rows.length
        progress.tell(count)
        await setImmediate() // lets signal handlers run
      }
      progress.end()
      if (json) write(widths ? ']\n' : '[]\n')
    },

    async stream(texts) {
      for await (const text of texts) {
        await written(text)
        if (failure) return
        await setImmediate()
      }
    },

    message: (text) => write(json ? `${JSON.stringify({ message: text })}\n` : `${text}\n`),
    result(record, text) {
      held += json ? `${JSON.stringify(record)}\n` : `${text}\n`
    },
    text: write,

    async flush() {
      if ((isUsed || held !== '') && !failure) await written('')
      if (failure && failure.code !== 'EPIPE') {
        throw new Error('standard output cannot be written', { cause: failure })
      }
      return failure === undefined
    },
  }

  function write(text: string): void {
    void written(text)
  }

  function written(text: string): Promise<void> {
    if (!isUsed) stdout.on('error', noteFailure)
    isUsed = true
    if (failure) return Promise.resolve()
    const all = held + text
    held = ''
    return new Promise((resolve) => {
      stdout.write(all, (error) => {
        if (error) noteFailure(error)
        resolve()
      })
    })
  }

  function noteFailure(error: Error): void {
    failure ??= error
  }

  function progressOf() {
    const isShown = stderr.isTTY === true && stdout.isTTY !== true
    let toldAt = performance.now()
    let isTold = false
    return {
      tell(count: number) {
        if (!isShown || performance.now() - toldAt < progressEveryMs) return
        toldAt = performance.now()
        isTold = true
        stderr.write(`\r${count} so far`)
      },
      end() {
        if (isTold) stderr.write('\r\x1b[K')
      },
    }
  }
}

function widthsOf(rows: readonly Row[]): number[] {
  return Object.keys(rows[0] ?? {}).map((name) =>
    Math.max(name.length, ...rows.map((row) => shown(row[name]).length)),
  )
}

function table(rows: readonly Row[], widths: readonly number[], withNames: boolean): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => names.map((name) => shown(row[name])))
  return [...(withNames && rows.length > 0 ? [names] : []), ...lines]
    .map((cells) => alignedLine(cells, widths))
    .join('')
}

function inWords(cell: Cell): string {
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

/** Escapes control and bidirectional characters, which can manipulate the terminal. */
export function shown(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return '-'
  const isList = Array.isArray(cell) && cell.every((item) => typeof item === 'string')
  const text = isList ? cell.join(',') || '-' : inWords(cell)
  return text.replace(steering, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
