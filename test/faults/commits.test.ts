import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { auditProblems } from './audit.ts'
import { basic, startNode } from './node.ts'
import { preloaded } from './preload.ts'

/** Lets the disk refuse the write-ahead log from the moment in which a user of this name is asked for. */
const failingDisk = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { subscribe } from 'node:diagnostics_channel'
  const { fdatasync } = fs
  let fails = false
  fs.fdatasync = (descriptor, done) =>
    fails ? setTimeout(done, 50, Object.assign(new Error('EIO'), { code: 'EIO' })) : fdatasync(descriptor, done)
  syncBuiltinESMExports()
  subscribe('http.server.request.start', ({ request }) => { fails ||= request.url === '/users?fail' })
`

/** Kills the process when it is about to insert a record, behind the change that it tells of. */
const diesBeforeRecord = `
  import { DatabaseSync } from 'node:sqlite'
  import { subscribe } from 'node:diagnostics_channel'
  const { prepare } = DatabaseSync.prototype
  let dies = false
  DatabaseSync.prototype.prepare = function (text) {
    const statement = prepare.call(this, text)
    if (!text.startsWith('insert into "audit_records"')) return statement
    const { run } = statement
    statement.run = (...values) => {
      if (dies) process.kill(process.pid, 'SIGKILL')
      return run.apply(statement, values)
    }
    return statement
  }
  subscribe('http.server.request.start', ({ request }) => { dies ||= request.url === '/users?die' })
`

suite('kill -9 between a change and its record', () => {
  test('neither is there, and the chains are whole', async () => {
    const node = await startNode({ flags: preloaded(diesBeforeRecord) })
    const create = (path: string, name: string) =>
      node.caller.call('POST', path, {
        headers: basic,
        json: { name, email: `${name}@example.org` },
      })
    assert.equal((await create('/users', 'kept')).status, 201)
    assert.equal((await create('/users?die', 'gone')).status, 0)
    await node.ended()
    await node.start()
    const { body } = await node.caller.call('GET', '/users', { headers: basic })
    assert.deepEqual(
      body.map(({ name }: { name: string }) => name),
      ['Administrator', 'kept'],
    )
    assert.equal((await create('/users', 'next')).status, 201)
    assert.deepEqual(await auditProblems(node.directory), [])
    await node.remove()
  })
})

suite('a disk that does not take a commit', () => {
  test('all that wait are 503, and the process ends; what it acknowledged before is there', async () => {
    const node = await startNode({ flags: preloaded(failingDisk) })
    const { caller } = node
    const headers = basic
    const json = (name: string) => ({ name, email: `${name}@example.org` })
    const kept = await caller.call('POST', '/users', { headers, json: json('kept') })
    assert.equal(kept.status, 201)
    const refused = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        caller.call('POST', '/users?fail', { headers, json: json(name) }),
      ),
    )
    for (const { status, body } of refused) {
      assert.deepEqual([status, body], [503, { error: 'Service unavailable' }])
    }
    assert.equal(await node.ended(), 1)
    assert.match(node.service.output(), /the disk has not taken a commit/)
    await node.start()
    const { body } = await node.caller.call('GET', `/users/${kept.body.id}`, { headers })
    assert.equal(body.name, 'kept')
    await node.remove()
  })
})
