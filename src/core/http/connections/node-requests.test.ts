import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { securityHeaders } from '../headers.ts'
import { requestClasses } from './node-requests.ts'

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined

/** The lines of an answer whose header is written by `writeHead`. */
async function linesOf(given: Given, status: number, set: readonly string[]): Promise<string[]> {
  const server = createServer({ ...requestClasses }, (_request, response) => {
    for (const name of set) response.setHeader(name, 'own')
    response.writeHead(status, given)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const answer = await text(socket)
  server.close()
  return answer.split('\r\n\r\n', 1)[0]?.split('\r\n').slice(1) ?? []
}

const own = 'content-security-policy'
const given: readonly (readonly [what: string, Given, set?: readonly string[]])[] = [
  ['nothing', undefined],
  ['an object', { a: 'b' }],
  ['a list', ['a', 'b']],
  ['a list of pairs', [['a', 'b']] as unknown as OutgoingHttpHeader[]],
  ['its own, in an object', { 'Content-Security-Policy': 'own' }],
  ['its own, in a list', ['Content-Security-Policy', 'own']],
  ['its own, in a list of pairs', [[own, 'own']] as unknown as OutgoingHttpHeader[]],
  ['its own, set before', undefined, ['Content-SECURITY-policy']],
  ['its own, set before a list', ['a', 'b'], [own]],
  ['a value that is the name of one', ['a', own]],
]

suite('an answer has each security header once', () => {
  for (const status of [200, 204, 304]) {
    for (const [what, headers, set = []] of given) {
      test(`${status}, given ${what}`, async () => {
        const lines = await linesOf(headers, status, set)
        for (const [name, value] of Object.entries(securityHeaders)) {
          const isOwn = name === own && what.startsWith('its own')
          const found = lines.filter((line) => line.toLowerCase().startsWith(`${name}: `))
          const values = found.map((line) => line.slice(name.length + 2))
          assert.deepEqual(values, [isOwn ? 'own' : value])
        }
      })
    }
  }
})
