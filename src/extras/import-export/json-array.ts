import type { RecordEnd } from './records.ts'

const byte = (text: string) => text.charCodeAt(0)
const [quote, backslash, comma] = ['"', '\\', ','].map(byte)
const openings = new Set(['[', '{'].map(byte))
const closings = new Set([']', '}'].map(byte))

/** For use after the opening bracket. */
export function elementEnd(): { readonly endOf: RecordEnd; isClosed(): boolean } {
  let depth = 0
  let isString = false
  let isEscaped = false
  let isClosed = false
  return { endOf, isClosed: () => isClosed }

  function endOf(bytes: Buffer, from: number): number {
    if (isClosed) return -1
    for (let at = from; at < bytes.length; at += 1) {
      const one = bytes[at] ?? 0
      if (isString) {
        if (isEscaped) isEscaped = false
        else if (one === backslash) isEscaped = true
        else if (one === quote) isString = false
      } else if (one === quote) isString = true
      else if (openings.has(one)) depth += 1
      else if (closings.has(one)) {
        isClosed = depth === 0
        if (isClosed) return at
        depth -= 1
      } else if (one === comma && depth === 0) return at
    }
    return -1
  }
}
