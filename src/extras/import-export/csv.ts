import type { Detail } from '../../core/errors.ts'
import { unguardFormula } from '../../core/lib/formula-guard.ts'
import { newline, type RecordEnd } from './records.ts'

const separators = [',', ';', '\t'] as const
export type Separator = (typeof separators)[number]

const quote = 0x22

export function separatorOf(header: string): Separator | undefined {
  return separators.find((separator) => namesOf(header, separator).includes('username'))
}

/** Lower case; empty if the header is malformed. */
function namesOf(header: string, separator: Separator): string[] {
  const row = cellsOf(header, separator)
  return 'cells' in row ? row.cells.map((cell) => cell.trim().toLowerCase()) : []
}

export interface Header {
  readonly names: readonly string[]
  readonly ignored: readonly string[]
  readonly details: readonly Detail[]
}

export function readHeader(
  text: string,
  separator: Separator,
  { known, required }: { readonly known: readonly string[]; readonly required: readonly string[] },
): Header {
  const names = namesOf(text, separator)
  const named = names.filter((name) => name !== '')
  const seen = new Set<string>()
  const twice = new Set(named.filter((name) => seen.has(name) || !seen.add(name)))
  const absent = required.filter((name) => !names.includes(name))
  return {
    names,
    ignored: named.filter((name) => !known.includes(name)),
    details: [
      ...[...twice].map((name) => ({ path: [name], message: 'is a column twice' })),
      ...absent.map((name) => ({
        path: [name],
        message: 'is no column of the first line, which names the columns',
      })),
    ],
  }
}

/** Ends rows at line feeds outside quotes. After a malformed quote, the row ends with its line. */
export function rowEnd(separator: Separator): RecordEnd {
  const between = separator.charCodeAt(0)
  let cell: 'begins' | 'is plain' | 'is quoted' | 'was quoted' = 'begins'
  return (bytes, from) => {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (cell === 'is quoted') {
        if (byte === quote) cell = 'was quoted'
      } else if (byte === newline) {
        cell = 'begins'
        return at
      } else if (byte === between) cell = 'begins'
      else if (byte !== quote) cell = 'is plain'
      else if (cell !== 'is plain') cell = 'is quoted'
    }
    return -1
  }
}

type Row =
  | { readonly cells: readonly string[] }
  | { readonly column: number; readonly message: string }

function cellsOf(text: string, separator: Separator): Row {
  const cells: string[] = []
  const refuse = (message: string): Row => ({ column: cells.length, message })
  for (let at = 0; ; at += 1) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1)
      if (end < 0) return refuse('has a quote that is never closed')
      const cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
      if (at < text.length && text[at] !== separator) {
        return refuse('has text after its closing quote')
      }
      cells.push(cell)
    } else {
      const next = text.indexOf(separator, at)
      const cell = text.slice(at, next < 0 ? undefined : next)
      if (cell.includes('"')) return refuse('holds a quote, and is not in quotes')
      at = next < 0 ? text.length : next
      cells.push(cell)
    }
    if (at >= text.length) return { cells }
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at)
    if (at < 0 || text[at + 1] !== '"') return at
  }
}

/** The value of the equivalent JSON line, its errors, or null if blank. */
export function readRow(
  text: string,
  separator: Separator,
  names: readonly string[],
): { readonly value: object } | { readonly details: readonly Detail[] } | null {
  const row = cellsOf(text, separator)
  if ('message' in row) {
    const name = names[row.column]
    return { details: [{ path: name ? [name] : [], message: row.message }] }
  }
  const { cells } = row
  if (cells.every((cell) => cell === '')) return null
  if (cells.length !== names.length) {
    const message = `has ${cells.length} cells, and the first line ${names.length}`
    return { details: [{ path: [], message }] }
  }
  const fields = names.flatMap((name, index) => {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined
    const value = read?.(cells[index] ?? '')
    return value === undefined ? [] : [[name, value] as const]
  })
  return { value: Object.fromEntries(fields) }
}

/** Undefined: the field is absent. */
const readers: Readonly<Record<string, (cell: string) => unknown>> = {
  username: guarded,
  name: guarded,
  email: guarded,
  password: literal,
  password_hash: literal,
  created_at: literal,
  roles: (cell) =>
    unguardFormula(cell)
      .split(/[\s,;|]+/)
      .filter((name) => name !== ''),
  locked: flag,
  active: flag,
  must_change: flag,
  user_id: (cell) => (/^\d+$/.test(cell) ? Number(cell) : literal(cell)),
}

export const columns: readonly string[] = Object.keys(readers)

function literal(cell: string): string | undefined {
  return cell === '' ? undefined : cell
}

function guarded(cell: string): string | undefined {
  return literal(unguardFormula(cell))
}

/** Spreadsheets write flags in capitals. Other texts are rejected. */
function flag(cell: string): unknown {
  const word = cell.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : literal(cell)
}
