import { afterEach, beforeEach } from 'node:test'

/**
 * Prints the last requests of a test that fails, with their answers and the lines of the log.
 * Imported by test/app.ts, for every test in the process.
 */
interface Exchange {
  readonly sent: Sent
  readonly log: string[]
  /** The answer or what was thrown; absent until then. */
  got?: Got | { readonly error: unknown }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: object
  readonly payload: string | Buffer | undefined
}

interface Got {
  readonly statusCode: number
  readonly headers: object
  readonly body: string
}

const maxExchanges = 5
const maxLines = 20
const maxCharacters = 2000

const exchanges: Exchange[] = []
const underWay = new Set<Exchange>()
/** Lines that were logged while none of these requests was under way: by others over a socket. */
const otherLines: string[] = []

beforeEach(() => {
  exchanges.length = 0
  otherLines.length = 0
})
afterEach((test) => {
  if ('passed' in test && test.passed === false) process.stdout.write(told(test.name))
})

/** Sends a request and stores it with its answer. */
export async function noted<T extends Got>(sent: Sent, send: () => Promise<T>): Promise<T> {
  const exchange: Exchange = { sent, log: [] } // formatted only when it is printed
  keep(exchanges, exchange, maxExchanges)
  underWay.add(exchange)
  try {
    const got = await send()
    const { statusCode, headers, body } = got
    exchange.got = { statusCode, headers, body }
    return got
  } catch (error) {
    exchange.got = { error }
    throw error
  } finally {
    underWay.delete(exchange)
  }
}

/** Stores a line of the log with all requests that are under way. */
export function noteLine(line: string): void {
  for (const { log } of underWay) keep(log, line.trimEnd(), maxLines)
  if (underWay.size === 0) keep(otherLines, line.trimEnd(), maxLines)
}

function told(name: string): string {
  const parts = exchanges.map(
    ({ sent, got, log }) =>
      `→ ${indented(requestText(sent))}\n← ${indented(answerText(got))}\n${log.map((line) => `  log ${line}\n`).join('')}`,
  )
  const others = otherLines.map((line) => `  log ${line}\n`).join('')
  if (parts.length + others.length === 0) return ''
  return `\nThe last requests of "${name}":\n${parts.join('')}${others && `Logged beside them:\n${others}`}\n`
}

function requestText({ method, path, headers, payload }: Sent): string {
  const body = payload === undefined ? '' : `\n${cut(String(payload))}`
  return `${method} ${cut(path)} ${JSON.stringify(headers)}${body}`
}

function answerText(got: Exchange['got']): string {
  if (got === undefined) return 'no answer yet'
  if ('error' in got) return String(got.error)
  return `${got.statusCode} ${JSON.stringify(got.headers)}\n${cut(got.body)}`
}

function keep<T>(list: T[], item: T, max: number): void {
  list.push(item)
  if (list.length > max) list.shift()
}

function cut(text: string): string {
  const rest = text.length - maxCharacters
  return rest > 0 ? `${text.slice(0, maxCharacters)} ... and ${rest} characters` : text
}

function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ')
}
