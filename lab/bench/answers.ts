export interface Answers {
  take(chunk: Buffer, bytes: number): void
}

type OnAnswer = (status: number, text: () => string) => void

/**
 * Calls `onAnswer` at the end of each answer, with its status; call `text` only within it. A
 * connection has one request at a time, so a chunk never holds two answers. An answer with the size
 * and the status of the previous answer is not parsed. RFC 9112 sections 6 and 7.1.
 */
export function answers(onAnswer: OnAnswer): Answers {
  let usualBytes = 0
  let usualStatus = 0
  let status = 0
  let received = 0
  let expected = 0 // Infinity: chunked

  return {
    take(chunk, bytes) {
      if (received === 0) {
        status = statusOf(chunk)
        if (bytes === usualBytes && status === usualStatus) {
          onAnswer(status, () => chunk.toString('latin1', 0, bytes))
          return
        }
        expected = lengthOf(chunk, bytes, status)
      }
      received += bytes
      const isComplete =
        expected === Number.POSITIVE_INFINITY ? endsChunks(chunk, bytes) : received >= expected
      if (!isComplete) return
      if (received === bytes && expected !== Number.POSITIVE_INFINITY) {
        usualBytes = bytes
        usualStatus = status
      }
      received = 0
      onAnswer(status, () => chunk.toString('latin1', 0, bytes))
    },
  }
}

/** The three digits behind `HTTP/1.1 `. */
function statusOf(chunk: Buffer): number {
  const digit = (index: number) => (chunk[index] ?? 0) - 48
  return digit(9) * 100 + digit(10) * 10 + digit(11)
}

/** Bytes of the whole answer. @throws Error if its head did not come at once */
function lengthOf(chunk: Buffer, bytes: number, status: number): number {
  const end = chunk.subarray(0, bytes).indexOf('\r\n\r\n')
  if (end < 0) throw new Error('the head of an answer came in pieces')
  const head = chunk.toString('latin1', 0, end)
  if (status === 204 || status === 304) return end + 4
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length !== undefined) return end + 4 + Number(length)
  if (/^transfer-encoding: *chunked/im.test(head)) return Number.POSITIVE_INFINITY
  throw new Error(`an answer without a length: ${head}`)
}

function endsChunks(chunk: Buffer, bytes: number): boolean {
  return chunk.toString('latin1', Math.max(0, bytes - 5), bytes) === '0\r\n\r\n'
}
