import type { ReadRecord } from '../read-records.ts'
import { faultAt, type LineOrFault, textLines } from './text-lines.ts'

/** By the lower-case name without options, such as `cn` of `cn;lang-de`. */
export type Entry = ReadonlyMap<string, readonly string[]>

const maxEntryLength = 65_536
const utf8 = new TextDecoder('utf-8', { fatal: true })
const attribute = /^([a-z0-9.-]+)((?:;[a-z0-9-]+)*):(:|<)?\s*(.*)$/i
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** LDIF of content, not of changes. RFC 2849 */
export async function* ldifEntries(
  pieces: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<string>,
): AsyncGenerator<ReadRecord[]> {
  const gather = gatherer(wanted)
  for await (const lines of textLines(pieces)) yield lines.flatMap(gather.add)
  yield gather.end()
}

/** Holds the wanted attributes of one entry. */
function gatherer(wanted: ReadonlySet<string>) {
  let entry = new Map<string, string[]>()
  let begun: number | undefined
  let length = 0
  let folded: { readonly line: number; text: string } | undefined
  let faults: ReadRecord[] = []
  return { add, end }

  function add(one: LineOrFault): ReadRecord[] {
    if ('details' in one) {
      faults.push(one)
      return []
    }
    const { line, text } = one
    if (text === '') return end()
    if (text.startsWith(' ')) {
      if (folded)
        folded.text =
          folded.text.length > maxEntryLength ? folded.text : folded.text + text.slice(1)
      return []
    }
    unfold()
    folded = { line, text }
    return []
  }

  function end(): ReadRecord[] {
    unfold()
    const isVersion = entry.size === 0
    const found: ReadRecord[] =
      faults.length > 0
        ? faults
        : begun === undefined || isVersion
          ? []
          : [{ line: begun, value: entry }]
    ;[entry, begun, length, faults] = [new Map(), undefined, 0, []]
    return found
  }

  function unfold(): void {
    if (!folded) return
    const { line, text } = folded
    folded = undefined
    if (text.startsWith('#') || text.startsWith('version:')) return
    begun ??= line
    const [, name = '', , kind, value = ''] = attribute.exec(text) ?? []
    const key = name.toLowerCase()
    if (key === '') faults.push(faultAt(line, 'is no line of LDIF'))
    else if (key === 'changetype') faults.push(faultAt(line, 'is a change: export the content'))
    if (!wanted.has(key)) return
    length += text.length
    if (length > maxEntryLength) faults.push(faultAt(line, 'is in an entry that is too long'))
    else if (kind === '<') faults.push(faultAt(line, 'names a file or an address', name))
    else {
      const decoded = kind === ':' ? decode(value) : value
      if (decoded === undefined) faults.push(faultAt(line, 'is no text in Base64', name))
      else entry.set(key, [...(entry.get(key) ?? []), decoded])
    }
  }
}

function decode(value: string): string | undefined {
  if (!base64.test(value)) return undefined
  try {
    return utf8.decode(Buffer.from(value, 'base64'))
  } catch {
    return undefined
  }
}
