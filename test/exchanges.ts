import { afterEach, beforeEach } from 'node:test'

/** What a test asked of the service and was told, with the log of it: printed where the test fails. */
export interface Exchange {
  /** Method, path, headers and body. */
  readonly request: string
  /** Status, headers and body. */
  readonly answer: string
  readonly log: readonly unknown[]
}

const maxPrinted = 5
const maxLength = 2_000
let exchanges: Exchange[] = []
let earlier = 0

// At the root: each test of the process has them, in whichever file.
beforeEach(() => {
  exchanges = []
  earlier = 0
})
afterEach((context) => {
  if (!('error' in context) || !context.error || exchanges.length === 0) return
  const before = earlier > 0 ? [`(${earlier} requests before these)`] : []
  context.diagnostic([...before, ...exchanges.map(show)].join('\n'))
})

export function remember(exchange: Exchange): void {
  exchanges.push(exchange)
  if (exchanges.length <= maxPrinted) return
  exchanges.shift()
  earlier += 1
}

function show({ request, answer, log }: Exchange): string {
  const lines = log.map((line) => `  log ${cut(JSON.stringify(line))}`)
  return [`> ${cut(request)}`, `< ${cut(answer)}`, ...lines].join('\n')
}

function cut(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}... (${text.length})` : text
}
