import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { after, type Mock } from 'node:test'
import { GatehouseError } from '../../packages/client/src/index.ts'

/** Status and text of a refusal. */
export async function refusalOf(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail('it is accepted'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof GatehouseError, String(error))
  return [error.status, error.message]
}

/** How often a mocked `fetch` was called for a path. */
export function countOf({ mock }: Pick<Mock<typeof fetch>, 'mock'>, path: string): number {
  const urls = mock.calls.map(({ arguments: [request] }) => (request as Request).url)
  return urls.filter((url) => url.endsWith(path)).length
}

interface Answered {
  readonly status: number
  readonly headers?: Record<string, string>
}

/** An API of an application, which notes its requests. Without an answer it keeps them waiting. */
export async function ownApi() {
  const api = {
    url: '',
    requests: [] as IncomingMessage[],
    answer: { status: 200 } as Answered | null,
    /** In place of `answer`. */
    decide: null as ((request: IncomingMessage) => Answered) | null,
  }
  const server = createServer((request, response) => {
    api.requests.push(request)
    const answer = api.decide?.(request) ?? api.answer
    if (answer) response.writeHead(answer.status, answer.headers).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  api.url = `http://127.0.0.1:${address.port}`
  return api
}
