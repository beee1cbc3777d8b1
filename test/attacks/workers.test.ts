// A database makes a difference: what one worker has committed, the other must read.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { jobsOfWorker } from '../../src/core/runtime/jobs.ts'
import { type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { testDatabase } from '../database.ts'
import { linkedWorkers } from '../linked-workers.ts'
import { newHost } from '../logins.ts'
import { runJob } from '../webhook-sending.ts'

async function twoWorkers(env: Record<string, string> = {}): Promise<[TestApp, TestApp]> {
  const workers = linkedWorkers(2)
  const depsOf = (index: number) => {
    const own = workers[index]
    assert.ok(own)
    return { workers: own }
  }
  const one = await testApp(env, { deps: depsOf(0) })
  const { directory, clock } = one
  return [one, await testApp(env, { directory, clock, deps: depsOf(1) })]
}

suite('two workers', async () => {
  const [one, two] = await twoWorkers({ CLIENTS_FILE: clientsFile([entry('shop')]) })
  const admin = await one.bearer(one.admin)
  const statusOf = async (at: TestApp, headers: object) =>
    (await at.call('GET', '/api/me', { headers: headers as Record<string, string> })).status

  test('the end of a token at one is known to the other when it is answered', async () => {
    const headers = await one.bearer(one.admin)
    assert.equal(await statusOf(two, headers), 200)
    assert.equal((await one.call('POST', '/logout', { headers })).status, 200)
    assert.equal(await statusOf(two, headers), 401)
  })

  test('so is each change of an account that ends its tokens', async () => {
    const changes: readonly (readonly [string, object?])[] = [
      ['PUT', { locked: true }],
      ['PUT', { active: false }],
      ['PUT', { roles: ['EDITOR'] }],
      ['PUT', { password: 'another quiet melon' }],
      ['DELETE'],
    ]
    for (const [index, [method, json]] of changes.entries()) {
      const who = await one.account(`ended-${index}`)
      const headers = await two.bearer(who)
      assert.equal(await statusOf(two, headers), 200)
      const path = `/api/admin/accounts/ended-${index}`
      const change = await one.call(method, path, { headers: admin, ...(json && { json }) })
      assert.equal(change.status, 200)
      assert.equal(await statusOf(two, headers), 401, JSON.stringify(json))
    }
  })

  test('so is the end of a user, and a new name', async () => {
    const who = await one.account('removed')
    const headers = await two.bearer(who)
    const nameOf = async () => (await two.call('GET', '/api/me', { headers })).body.name
    const path = `/users/${who.userId}`
    await nameOf()
    const json = { name: 'Augusta' }
    assert.equal((await one.call('PUT', path, { headers: admin, json })).status, 200)
    assert.equal(await nameOf(), 'Augusta')
    assert.equal((await one.call('DELETE', path, { headers: admin })).status, 200)
    assert.equal(await statusOf(two, headers), 401)
  })

  test('a request at one counts within a second for the idle timeout at the other', async () => {
    const headers = await one.session(await one.account('idle'))
    const statusAt = async (at: TestApp) =>
      (await at.call('GET', '/api/session', { headers })).status
    one.clock.advance(1799)
    assert.equal(await statusAt(one), 200) // noted in its memory
    await runJob(one, 'session activity') // once a second
    one.clock.advance(1799)
    assert.equal(await statusAt(two), 200)
    await runJob(two, 'session activity')
    one.clock.advance(1799)
    assert.equal(await statusAt(one), 200)
    one.clock.advance(1800)
    assert.equal(await statusAt(two), 401)
    assert.equal(await statusAt(one), 401)
  })

  test('so is the end of a key, with the tokens that it has signed', async () => {
    const headers = await one.session(one.admin)
    const old = await two.bearer(two.admin)
    assert.equal(await statusOf(two, old), 200)
    const json = { at_once: true }
    const { body } = await one.call('POST', '/api/admin/keys/rotate', { headers, json })
    one.clock.advance(3) // until every process signs with the new key
    const retire = `/api/admin/keys/${body.before}/retire`
    assert.equal((await one.call('POST', retire, { headers })).status, 200)
    assert.equal(await statusOf(two, old), 401)
  })

  test('a wrong secret at one ends what the other remembers of a client', async () => {
    const from = newHost()
    const ask = (at: TestApp, secret?: string) =>
      at.call('POST', '/oauth/introspect', {
        headers: asClient('shop', secret),
        form: { token: 'x' },
        from,
      })
    assert.equal((await ask(one)).status, 200)
    assert.equal((await ask(two)).status, 200)
    for (let guess = 0; guess < 5; guess += 1) await ask(two, `wrong ${guess}`)
    // The limit is used up, so an attempt is refused; a memory of the right secret would admit it.
    assert.equal((await ask(one)).status, 429)
  })

  test('each does its own part of the jobs, and one does all others', () => {
    const namesOf = (index: number) => jobsOfWorker(one.app.jobs, { index }).map(({ name }) => name)
    assert.deepEqual(
      namesOf(0),
      one.app.jobs.map(({ name }) => name),
    )
    assert.deepEqual(namesOf(1).toSorted(), [
      'audit chains',
      'audit checkpoints',
      'audit records',
      'clients file',
      'counted refusals',
      ...(testDatabase === 'sqlite' ? ['database files'] : []),
      'forward file',
      'keys of erased persons',
      'keys of other processes',
      'last use of keys',
      'mail',
      'profile file',
      'refusals',
      'session activity',
      'statistics',
      'webhook endpoints',
    ])
    assert.ok(namesOf(0).length > 8)
  })
})
