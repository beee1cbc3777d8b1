import { type CBORType, decodePartialCBOR } from '@levischuck/tiny-cbor'

// An attestation object holds a statement that holds a list: three levels.
const maxDepth = 4
const maxBytes = 16_384

const majorTypes = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, map: 5, simple: 7 }
const { unsigned, negative, bytes, text, array, map, simple } = majorTypes

/**
 * One value of the canonical CBOR of CTAP2, and the index after the value. The decoder alone refuses
 * neither deep nesting nor a length beyond the end.
 * @throws Error for indefinite lengths, tags, floats, duplicate keys, deep nesting, a length beyond
 * the end, or a number that is not written in the shortest form
 */
export function decodeStrict(data: Uint8Array, index = 0): readonly [CBORType, number] {
  if (data.length > maxBytes) throw new Error('CBOR: too long')
  const end = assertStrict(data, index, 1)
  // A copy: the decoder reads the whole buffer below a view.
  const [value, length] = decodePartialCBOR(new Uint8Array(data), index)
  if (index + length !== end) throw new Error('CBOR: ambiguous length')
  return [value, end]
}

/** Returns the index after the value. */
function assertStrict(data: Uint8Array, index: number, depth: number): number {
  if (depth > maxDepth) throw new Error('CBOR: nested too deeply')
  const { majorType, argument, next } = readHead(data, index)
  if (majorType === unsigned || majorType === negative) return next
  if (majorType === simple && next === index + 1 && argument >= 20 && argument <= 22) return next
  if (majorType === bytes || majorType === text) {
    if (argument > data.length - next) throw new Error('CBOR: beyond the end')
    return next + argument
  }
  if (majorType !== array && majorType !== map) throw new Error('CBOR: unexpected type')
  let at = next
  for (let left = majorType === map ? argument * 2 : argument; left > 0; left -= 1) {
    at = assertStrict(data, at, depth + 1)
  }
  return at
}

function readHead(data: Uint8Array, index: number) {
  const first = data[index]
  if (first === undefined) throw new Error('CBOR: beyond the end')
  const [majorType, info] = [first >> 5, first & 31]
  if (info < 24) return { majorType, argument: info, next: index + 1 }
  if (info > 26) throw new Error('CBOR: an indefinite or huge length')
  const size = 2 ** (info - 24)
  const next = index + 1 + size
  if (next > data.length) throw new Error('CBOR: beyond the end')
  let argument = 0
  for (const byte of data.subarray(index + 1, next)) argument = argument * 256 + byte
  const least = size === 1 ? 24 : 2 ** (4 * size)
  if (argument < least) throw new Error('CBOR: not the shortest form')
  return { majorType, argument, next }
}
