import { createCipheriv, createDecipheriv } from 'node:crypto'

export type Bytes = AsyncIterable<Uint8Array>

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
/** Part of format version 2. */
export const chunkBytes = 64 * 1024

/**
 * AES-256-GCM in 64 KiB chunks, each with a tag. The nonce contains chunk number and last flag:
 * reordered or truncated streams fail. STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár),
 * as in age. Use each key for one stream only. `associated` is authenticated too.
 */
export async function* encryptedChunks(
  key: Uint8Array,
  associated: string,
  plain: Bytes,
): AsyncGenerator<Uint8Array> {
  const data = Buffer.from(associated)
  for await (const { bytes, number, isLast } of inPieces(plain, chunkBytes)) {
    const cipher = createCipheriv(algorithm, key, nonceOf(number, isLast)).setAAD(data)
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/** Yields only authenticated data. @throws Error if a chunk is changed, missing, added or moved */
export async function* decryptedChunks(
  key: Uint8Array,
  associated: string,
  sealed: Bytes,
): AsyncGenerator<Uint8Array> {
  const data = Buffer.from(associated)
  for await (const { bytes, number, isLast } of inPieces(sealed, chunkBytes + tagBytes)) {
    const end = bytes.length - tagBytes
    if (end < 0) throw changed()
    const decipher = createDecipheriv(algorithm, key, nonceOf(number, isLast), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(data).setAuthTag(bytes.subarray(end))
    const plain = decipher.update(bytes.subarray(0, end))
    try {
      decipher.final()
    } catch (cause) {
      throw changed(cause)
    }
    yield plain
  }
}

function changed(cause?: unknown): Error {
  return new Error('the backup was changed: a part of it does not open', { cause })
}

/** @throws RangeError at chunk 2^32 (256 TiB) */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(nonceBytes)
  nonce.writeUInt32BE(number, nonceBytes - 5)
  nonce.writeUInt8(isLast ? 1 : 0, nonceBytes - 1)
  return nonce
}

interface Piece {
  readonly bytes: Buffer
  readonly number: number
  readonly isLast: boolean
}

/** The last piece may be shorter; only an empty stream has an empty piece. */
async function* inPieces(stream: Bytes, size: number): AsyncGenerator<Piece> {
  let number = 0
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const bytes of stream) {
    waiting.push(bytes)
    length += bytes.length
    if (length <= size) continue // possibly the last
    let rest = Buffer.concat(waiting)
    for (; rest.length > size; rest = rest.subarray(size)) {
      yield { bytes: rest.subarray(0, size), number, isLast: false }
      number += 1
    }
    waiting = [rest]
    length = rest.length
  }
  yield { bytes: Buffer.concat(waiting), number, isLast: true }
}
