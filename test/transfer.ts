import type { Answer, Call, Headers, TestApp } from './app.ts'

export const importPath = '/api/admin/import/accounts'
export const exportPath = '/api/admin/export/accounts'

/** A hash for lines of an import; its password is unknown. */
export const someHash = `$2b$04$${'a'.repeat(21)}O${'b'.repeat(30)}W`

/** A complete line, with changes of the test. */
export function line(username: string, more: object = {}): Record<string, unknown> {
  return {
    username,
    password_hash: someHash,
    roles: ['USER'],
    name: `Name of ${username}`,
    email: `${username}@example.org`,
    ...more,
  }
}

/** Joins lines to a text. */
export function ndjson(lines: readonly object[]): string {
  return lines.map((one) => `${JSON.stringify(one)}\n`).join('')
}

/** Sends lines, or unchanged bytes. */
export function importLines(
  app: TestApp,
  headers: Headers,
  lines: readonly object[] | string | Buffer,
  { query = '', ...call }: Call & { query?: string } = {},
): Promise<Answer> {
  return app.call('POST', importPath + query, {
    ...call,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    body: Array.isArray(lines) ? ndjson(lines) : (lines as string | Buffer), // not an array
  })
}

/** The lines of an export. */
export function readLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one))
}

/** Starts an import over a socket, whose lines the test sends. */
export function openImport(url: string, headers: Headers) {
  let push: (text: string) => void = () => {}
  let close: () => void = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(Buffer.from(text))
      close = () => controller.close()
    },
  })
  const leave = new AbortController()
  const answer = fetch(url + importPath, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body,
    duplex: 'half',
    signal: leave.signal,
  })
  answer.catch(() => {}) // the test may await it later
  return { push, close, answer, leave: () => leave.abort() }
}
