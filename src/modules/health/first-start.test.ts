import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastify from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { waitForFirstAccount } from './first-start.ts'

/** A server whose first account a test makes, and what its requests met in turn. */
async function starting() {
  const app = fastify()
  const accounts: never[] = []
  let reads = 0
  const made = waitForFirstAccount(app, {
    accounts: {
      async after() {
        reads += 1
        return accounts
      },
    },
  })
  const turns: string[] = []
  app.addHook('onRequest', (_request, _reply, done) => {
    turns.push('served')
    done()
  })
  app.setErrorHandler((error, _request, reply) => {
    reply.status(error instanceof ApiError ? error.status : 500).send()
  })
  app.get('/users', () => ({}))
  app.get('/health/live', () => ({}))
  await app.ready()
  return { app, accounts, made, reads: () => reads, turns }
}

suite('requests before the first account', () => {
  test('are refused, except for probes', async () => {
    const { app, reads } = await starting()
    assert.equal((await app.inject('/users')).statusCode, 503)
    assert.equal((await app.inject('/health/live')).statusCode, 200)
    assert.equal(reads(), 1)
  })

  test('an account of another node ends the wait', async () => {
    const { app, accounts, reads } = await starting()
    accounts.push({} as never)
    for (let count = 0; count < 3; count += 1) {
      assert.equal((await app.inject('/users')).statusCode, 200)
    }
    assert.equal(reads(), 1)
  })

  test('afterwards a request passes in the turn in which it came', async () => {
    const { app, made, turns } = await starting()
    made()
    const hooks = new Promise<void>((resolve) => {
      app.routing(
        { method: 'GET', url: '/users', headers: {} } as never,
        { setHeader() {}, writeHead() {}, end: resolve, on() {} } as never,
      )
      turns.push('next')
    })
    assert.deepEqual(turns, ['served', 'next'])
    await hooks
  })
})
