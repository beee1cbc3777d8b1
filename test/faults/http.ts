import { Agent, request } from 'node:http'

export interface Reply {
  /** 0 where the connection was refused or cut off, or no answer came in time. */
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting it
  readonly body: any
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Why there is no answer. */
  readonly fault: string
  readonly startedAt: number
  readonly milliseconds: number
}

export interface Sent {
  readonly headers?: Record<string, string>
  readonly json?: unknown
  readonly form?: Record<string, string>
}

/** A caller of a real service over kept connections; a failure is a reply as well. */
export interface Caller {
  call(method: string, path: string, sent?: Sent): Promise<Reply>
  close(): void
}

const patienceMs = 30_000

/** `most`: connections at once. */
export function callerOf(url: string, { keepAlive = true, most = 512 } = {}): Caller {
  const agent = new Agent({ keepAlive, maxSockets: most })
  return {
    call: (method, path, sent) => call(agent, new URL(path, url), method, sent),
    close: () => agent.destroy(),
  }
}

function call(agent: Agent, url: URL, method: string, sent: Sent = {}): Promise<Reply> {
  const startedAt = performance.now()
  const [type, body] = contentOf(sent)
  const headers = {
    ...(type && { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  }
  return new Promise((resolve) => {
    const done = (reply: Pick<Reply, 'status' | 'body' | 'headers' | 'fault'>) =>
      resolve({ ...reply, startedAt, milliseconds: performance.now() - startedAt })
    const failed = (error: Error) =>
      done({
        status: 0,
        body: '',
        headers: {},
        fault: 'code' in error ? String(error.code) : error.message,
      })
    const outgoing = request(url, { agent, method, headers, timeout: patienceMs }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('error', failed)
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response
        try {
          const isJson = String(headers['content-type']).includes('json') && text !== ''
          done({ status, headers, fault: '', body: isJson ? JSON.parse(text) : text })
        } catch {
          done({ status: 0, headers, body: text, fault: 'half an answer' })
        }
      })
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}

function contentOf({ json, form }: Sent): [string, string] {
  if (json !== undefined) return ['application/json', JSON.stringify(json)]
  if (form) return ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()]
  return ['', '']
}
