import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { until } from '../../../../test/until.ts'
import { createPostgresFeed } from './feed.ts'

suite('the lag of the change feed', () => {
  test('is 0 while nothing asks, and grows while the server is away, over all attempts', async () => {
    let attempts = 0
    const server = createServer((socket) => {
      attempts += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const feed = createPostgresFeed({ host: '127.0.0.1', port, user: 'a', database: 'a' })
    const lag = () => feed.lagMs?.() ?? Number.NaN
    assert.equal(lag(), 0)
    assert.equal(feed.isCurrent(), false)
    await until(() => attempts === 1 && lag() > 0)
    const first = lag()
    await until(() => {
      feed.isCurrent()
      return attempts === 3
    })
    assert.ok(lag() > first, 'an attempt does not begin it anew')
    const asked = lag()
    await until(() => attempts === 5)
    assert.ok(lag() > asked, 'it goes on while no request asks, and does not pass for sound')
    await feed.close()
    server.close()
  })
})
