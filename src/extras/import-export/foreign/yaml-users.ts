import type { ReadRecord } from '../read-records.ts'
import { faultAt, type LineOrFault, textLines } from './text-lines.ts'

/**
 * The part of YAML that a file of users has: `users:`, below it one name per user, below a name
 * fields of one line and lists. Refuses the rest of YAML: anchors, tags, texts of many lines.
 */
export async function* yamlUsers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ReadRecord[]> {
  const gather = gatherer()
  for await (const lines of textLines(pieces)) yield lines.flatMap(gather.add)
  yield gather.end()
}

const entry =
  /^( *)("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s#'"\-[\]{}&*!|>%@`?,:][^:#]*):(?:\s+(.*))?$/
const item = /^( *)-\s+(.*)$/
const maxFields = 1000

type Fields = Record<string, unknown>
interface User {
  readonly line: number
  readonly depth: number
  readonly fields: Fields
}

function gatherer() {
  let hasUsers = false
  let isInUsers = false
  let user: User | undefined
  /** The field whose list or object follows; its depth. */
  let open: { readonly list: unknown[]; readonly depth: number } | undefined
  let faults: ReadRecord[] = []
  return { add, end }

  function add(one: LineOrFault): ReadRecord[] {
    if ('details' in one) {
      faults.push(one)
      return []
    }
    const text = one.text.trimEnd()
    if (text === '---' || text.trim() === '' || text.trimStart().startsWith('#')) return []
    if (/^ *\t/.test(text)) return wrong(one.line, 'is indented by a tab')
    const listed = item.exec(text)
    if (listed) return addItem(one.line, listed[1]?.length ?? 0, listed[2] ?? '')
    const [, indent = '', key = '', value] = entry.exec(text) ?? []
    const name = scalar(key.trimEnd())
    if (name === undefined) return wrong(one.line, 'is no YAML that this import reads')
    return addEntry(one.line, { depth: indent.length, name, value: withoutComment(value ?? '') })
  }

  function addEntry(
    line: number,
    {
      depth,
      name,
      value,
    }: { readonly depth: number; readonly name: string; readonly value: string },
  ): ReadRecord[] {
    if (depth === 0) {
      const ended = take()
      isInUsers = name === 'users'
      hasUsers ||= isInUsers
      if (isInUsers && value !== '') wrong(line, 'must have its users below')
      return ended
    }
    if (!isInUsers) return []
    if (!user || depth <= user.depth) {
      if (user && depth < user.depth) return wrong(line, 'is indented less than the user before')
      const ended = take()
      if (value !== '' && value !== '{}')
        return [...ended, ...wrong(line, 'must have its fields below')]
      user = { line, depth, fields: { username: name } }
      return ended
    }
    if (open && depth > open.depth) return [] // below a field such as `address`
    open = undefined
    if (Object.hasOwn(user.fields, name)) return wrong(line, 'is there twice', name)
    if (Object.keys(user.fields).length >= maxFields) return wrong(line, 'is a field too many')
    const parsed = parse(value)
    if (parsed === undefined) return wrong(line, 'is no YAML that this import reads', name)
    const list: unknown[] = []
    if (value === '') open = { list, depth }
    Object.defineProperty(user.fields, name, {
      ...{ value: value === '' ? list : parsed, enumerable: true, configurable: true },
    })
    return []
  }

  function addItem(line: number, depth: number, value: string): ReadRecord[] {
    if (!isInUsers) return []
    if (!open || depth < open.depth) return wrong(line, 'belongs to no list')
    const parsed = scalar(withoutComment(value))
    if (parsed === undefined || open.list.length >= maxFields) return wrong(line, 'is no name')
    open.list.push(parsed)
    return []
  }

  function end(): ReadRecord[] {
    const last = take()
    return hasUsers ? last : [...last, faultAt(1, 'has no "users:"')]
  }

  function wrong(line: number, message: string, field?: string): ReadRecord[] {
    faults.push(faultAt(line, message, field))
    return []
  }

  function take(): ReadRecord[] {
    const found: ReadRecord[] =
      faults.length > 0 ? faults : user ? [{ line: user.line, value: user.fields }] : []
    ;[user, open, faults] = [undefined, undefined, []]
    return found
  }
}

/** A flag, a text, or a list in one line. Undefined if unreadable. */
function parse(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null' || value === '~' || value === '{}') return null
  if (!value.startsWith('[')) return value === '' ? '' : scalar(value)
  if (!value.endsWith(']')) return undefined
  const inner = value.slice(1, -1).trim()
  const items = inner === '' ? [] : inner.split(',').map((one) => scalar(one.trim()))
  return items.includes(undefined) ? undefined : items
}

function scalar(text: string): string | undefined {
  if (/^'(?:[^']|'')*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  if (text.startsWith('"')) {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
  return text === '' || /^['"&*!|>%@`[\]{}?,]/.test(text) ? undefined : text
}

/** A comment begins with a blank and `#`, outside quotes. */
function withoutComment(value: string): string {
  const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(?:#.*)?$/.exec(value)
  return quoted?.[1] ?? value.replace(/(?:^|\s)#.*$/, '').trim()
}
