import { connect } from 'node:net'
import { cutOff, headerOf, type ReadAnswer, readAnswers } from './answers.ts'
import type { Written } from './twists.ts'

export interface Sent {
  readonly answers: readonly ReadAnswer[]
  /** Why the bytes are wrong: no response, not HTTP, or a hang. */
  readonly fault: string | null
  /** What the service itself found wrong with its answers, where it runs in this process. */
  readonly mistakes?: readonly string[]
}

export interface Patience {
  readonly hangMs: number
  /** After how long without a byte our side ends a request that is not whole. */
  readonly silenceMs: number
}

/** Behind an answer that says so the server closes, and answers nothing. RFC 9112 section 9.6. */
function answersAll(answers: readonly ReadAnswer[], methods: readonly string[]): boolean {
  const last = answers.at(-1)
  return (
    answers.length >= methods.length ||
    (last !== undefined && headerOf(last, 'connection') === 'close')
  )
}

/**
 * Writes a request to a port of loopback, and reads the responses. After a silence the client ends
 * an incomplete request.
 */
export function exchange(
  port: number,
  written: Written,
  { hangMs, silenceMs }: Patience,
): Promise<Sent> {
  const { pieces, methods, isIntact } = written
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const chunks: Buffer[] = []
    let silence: NodeJS.Timeout | undefined
    const read = (isEnded: boolean) => readAnswers(Buffer.concat(chunks), methods, isEnded)
    const finish = (isEnded: boolean, more: string | null = null) => {
      clearTimeout(silence)
      clearTimeout(hang)
      socket.destroy()
      const { answers, fault } = read(isEnded)
      const missing = isIntact && !answersAll(answers, methods) ? 'no answer' : null
      // Our own end of a broken request ends an answer that is still under way.
      const isOurs = !isIntact && fault === cutOff
      resolve({ answers, fault: more ?? (isOurs ? null : fault) ?? missing })
    }
    const hang = setTimeout(() => finish(false, `no end after ${hangMs} ms`), hangMs)
    // Half-closes. Before the whole response, the server would take the caller for disconnected.
    const endSoon = () => {
      clearTimeout(silence)
      if (!isIntact) silence = setTimeout(() => socket.end(), silenceMs)
    }
    socket.on('connect', async () => {
      for (const [at, piece] of pieces.entries()) {
        if (at > 0) await new Promise((next) => setTimeout(next, 5))
        if (!socket.destroyed) socket.write(piece)
      }
      endSoon()
    })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!isIntact) return endSoon()
      const { answers, isComplete } = read(false)
      if (isComplete && answers.length >= methods.length) finish(false)
    })
    // A reset after an answer is how a server ends a connection whose bytes it does not read.
    socket.on('error', () => {})
    socket.on('close', () => finish(true))
  })
}
