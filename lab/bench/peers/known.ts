import { createServer, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import type { Answer } from './bare.ts'
import { serve } from './serve.ts'

// What Node alone needs for a read of the service: a credential that is found in memory by its whole
// text, a lifetime, the version of the database once for the requests of one turn, an answer as JSON.

export interface Read extends Answer {
  readonly header: string
  readonly credential: string
  readonly database: string
}

serve<Read>(async ({ header, credential, database, headers, body, keepAliveTimeoutMs }) => {
  const known = new Map<unknown, { readonly answer: object; readonly expiresAt: number }>()
  const version = new DatabaseSync(database, { readOnly: true }).prepare('pragma data_version')
  const arrived: ServerResponse[] = []
  let seen: unknown
  const answerAll = () => {
    const present = version.get()?.data_version
    // The database has changed: the credential is read again.
    if (present !== seen) known.set(credential, { answer: JSON.parse(body), expiresAt: tomorrow() })
    seen = present
    for (const response of arrived.splice(0)) {
      const found = known.get(response.req.headers[header])
      const isLive = found !== undefined && Date.now() < found.expiresAt
      response.writeHead(isLive ? 200 : 401, headers)
      response.end(JSON.stringify(found?.answer))
    }
  }
  const server = createServer((_request, response) => {
    if (arrived.length === 0) setImmediate(answerAll)
    arrived.push(response)
  })
  server.keepAliveTimeout = keepAliveTimeoutMs
  return { server }
})

function tomorrow(): number {
  return Date.now() + 86_400_000
}
