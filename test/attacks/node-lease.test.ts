// A database makes a difference: nodes of PostgreSQL alone hold leases.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import pg from 'pg'
import { keyedDigest } from '../../src/core/crypto/digest.ts'
import type { NodeLeaseOptions } from '../../src/core/database/database.ts'
import { KeptRows } from '../../src/core/database/kept-rows.ts'
import { connectionOf, type PostgresAddress } from '../../src/core/database/postgres/address.ts'
import { coordinationMs, leaseMs } from '../../src/core/database/postgres/node-ends.ts'
import { createNodeLease } from '../../src/core/database/postgres/node-lease.ts'
import { channel, channelOf } from '../../src/core/database/postgres/notification.ts'
import { connectTo, nodes, postgresOnly as test } from '../database.ts'
import { databasePooler, databaseProxy } from '../database-proxy.ts'
import { startProxy } from '../faults/proxy.ts'
import { observed, type StandingTime, standingTime } from '../standing-time.ts'
import { until } from '../until.ts'

const key = Buffer.alloc(32, 7)
const macOf = (...parts: readonly string[]) => keyedDigest(key, parts.join(' '))

async function place(): Promise<PostgresAddress> {
  const { db, address } = await connectTo()
  await db.destroy()
  assert.ok(address)
  return address
}

async function leaseAt(address: PostgresAddress, options: NodeLeaseOptions = nodes) {
  const lease = createNodeLease(connectionOf(address), options)
  lease.useKey?.(key)
  await until(() => lease.isCurrent())
  return lease
}

interface Question {
  readonly node: string
  readonly number: string
}

/** A node that renews its row, and confirms only what a test tells it to. */
async function nodeByHand(address: PostgresAddress, name: string) {
  const id = name.padEnd(22, '_')
  const client = new pg.Client(connectionOf(address))
  await client.connect()
  const questions: Question[] = []
  client.on('notification', ({ channel: from, payload = '' }) => {
    const [node = '', number = ''] = payload.split(' ')
    if (from === channel && number !== '') questions.push({ node, number })
  })
  await client.query(`listen ${channel}`)
  const notify = (to: string, payload: string) =>
    client.query('select pg_notify($1, $2)', [to, payload])
  return {
    id,
    client,
    questions,
    notify,
    renew: () =>
      client.query(
        `insert into nodes values ($1, 1)
          on conflict (id) do update set renewals = nodes.renewals + 1`,
        [id],
      ),
    confirm: ({ node, number }: Question, mac = macOf(id, node, number)) =>
      notify(channelOf(node), `${id} ${number} ${mac}`),
  }
}

/** What other nodes confirm to a node by hand. */
async function confirmationsTo({ id, client }: Awaited<ReturnType<typeof nodeByHand>>) {
  const found: string[] = []
  client.on('notification', ({ channel: from, payload = '' }) => {
    if (from === channelOf(id)) found.push(payload)
  })
  await client.query(`listen "${channelOf(id)}"`)
  return found
}

/**
 * An end that waits for other nodes is not over before this time has passed. The time of a test that
 * has it stands, so that only a confirmation can end the wait earlier.
 */
async function assertWaitsForTime(end: Promise<void>, time: StandingTime): Promise<void> {
  const wait = observed(end)
  await time.pass(leaseMs)
  assert.equal(wait.outcome, undefined)
  await time.pass(coordinationMs - leaseMs)
  await until(() => wait.outcome !== undefined)
}

/** Whether a wait is over, and how long it took. */
function watched(wait: Promise<void>): { isOver: boolean; ms: number; over: Promise<void> } {
  // biome-ignore lint/plugin: a lower bound: a busy machine takes longer
  const beganAt = performance.now()
  const state = { isOver: false, ms: 0, over: Promise.resolve() }
  state.over = wait.then(() => {
    state.isOver = true
    // biome-ignore lint/plugin: a lower bound: a busy machine takes longer
    state.ms = performance.now() - beganAt
  })
  return state
}

/** Resolves after the lease has taken in what is in the database now. */
async function looked(lease: Awaited<ReturnType<typeof leaseAt>>, client: pg.Client) {
  const before = lease.version()
  await client.query("insert into node_changes (subject) values ('looked')")
  await client.query('select pg_notify($1, $2)', [channel, ''])
  await until(() => lease.version() !== before)
}

suite('the lease of a node', () => {
  test('an end of the only node waits for nobody', async () => {
    const address = await place()
    const lease = await leaseAt(address)
    const { client, questions } = await nodeByHand(address, 'watcher')
    await lease.confirmed()
    await client.query('select')
    assert.deepEqual(questions, [])
    await Promise.all([client.end(), lease.close()])
  })

  test('an end waits for each living node, and takes late and doubled confirmations', async (t) => {
    const address = await place()
    standingTime(t)
    const one = await nodeByHand(address, 'one')
    const two = await nodeByHand(address, 'two')
    const lease = await leaseAt(address)
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([one.renew(), two.renew()])
      await looked(lease, one.client)
      const end = watched(lease.confirmed())
      await until(() => one.questions.length > round)
      const question = one.questions[round]
      assert.ok(question)
      await one.confirm(question)
      await one.confirm(question)
      const earlier = one.questions[round - 1]
      if (earlier) await two.confirm(earlier)
      await looked(lease, one.client)
      assert.equal(end.isOver, false)
      await two.confirm(question)
      await until(() => end.isOver)
    }
    await Promise.all([one.client.end(), two.client.end(), lease.close()])
  })

  test('a forged confirmation counts for nothing', async (t) => {
    const address = await place()
    const time = standingTime(t)
    const silent = await nodeByHand(address, 'silent')
    const lease = await leaseAt(address)
    await silent.renew()
    await looked(lease, silent.client)
    const end = lease.confirmed()
    await until(() => silent.questions.length > 0)
    const [question] = silent.questions
    assert.ok(question)
    const { node, number } = question
    const forged = [
      macOf('end', node, number),
      macOf(node, silent.id, number),
      keyedDigest(Buffer.alloc(32), [silent.id, node, number].join(' ')),
      '',
    ]
    for (const mac of forged) await silent.confirm(question, mac)
    for (const payload of ['', ' ', silent.id, `${silent.id} ${number}`, 'x'.repeat(7999)]) {
      await silent.notify(channelOf(node), payload)
    }
    await looked(lease, silent.client)
    await assertWaitsForTime(end, time)
    await Promise.all([silent.client.end(), lease.close()])
  })

  test('a confirmation of a later round counts for the earlier ones, and not the other way', async (t) => {
    const address = await place()
    standingTime(t)
    const other = await nodeByHand(address, 'other')
    const lease = await leaseAt(address)
    await other.renew()
    await looked(lease, other.client)
    const first = watched(lease.confirmed())
    await until(() => other.questions.length === 1)
    const second = watched(lease.confirmed())
    await until(() => other.questions.length === 2)
    const [, later] = other.questions
    assert.ok(later)
    await other.confirm(later)
    await until(() => first.isOver && second.isOver)
    await Promise.all([other.client.end(), lease.close()])
  })

  test('a question that is recorded and sent again is confirmed once', async () => {
    const address = await place()
    const lease = await leaseAt(address)
    const [asker, gone] = [await nodeByHand(address, 'asker'), await nodeByHand(address, 'gone')]
    const answers = await confirmationsTo(asker)
    const unheard = await confirmationsTo(gone)
    const ask = ({ id, notify }: typeof asker, number: string) =>
      notify(channel, `${id} ${number} ${macOf('end', id, number)}`)
    await asker.renew()
    for (const number of ['7', '7', '6', '7', '8']) {
      await ask(asker, number)
      await ask(gone, number) // it has no row any more
      await looked(lease, asker.client)
    }
    await until(() => answers.length > 1) // they are sent after the look
    await looked(lease, asker.client)
    await asker.client.query('select')
    const numbers = answers.map((answer) => answer.split(' ')[1])
    assert.deepEqual([numbers, unheard], [['7', '8'], []])
    await Promise.all([asker.client.end(), gone.client.end(), lease.close()])
  })

  test('a flood of forged messages makes no node ask the database or answer', async () => {
    const address = await place()
    let answered = 0
    const url = new URL(
      await databaseProxy(address, () => (type) => {
        if (type === 'Z') answered += 1 // ReadyForQuery
        return true
      }),
    )
    const lease = createNodeLease(
      { ...connectionOf(address), host: url.hostname, port: Number(url.port) },
      nodes,
    )
    lease.useKey?.(key)
    await until(() => lease.isCurrent())
    const forger = await nodeByHand(address, 'forger')
    await forger.renew()
    const answers = await confirmationsTo(forger)
    await looked(lease, forger.client)
    // biome-ignore lint/plugin: the bound grows with the time
    const before = { answered, at: performance.now() }
    for (let number = 1; number <= 2000; number += 1) {
      await forger.notify(channel, `${forger.id} ${number} ${macOf('end', forger.id, 'x')}`)
    }
    await looked(lease, forger.client)
    // biome-ignore lint/plugin: the bound grows with the time
    const tookMs = performance.now() - before.at
    assert.ok(answered - before.answered <= 4 + tookMs / 300, String(answered - before.answered))
    assert.deepEqual(answers, [])
    await Promise.all([forger.client.end(), lease.close()])
  })

  test('a node that stands still is waited for once, and not when its lease is over', async (t) => {
    const address = await place()
    const time = standingTime(t)
    const still = await nodeByHand(address, 'still')
    const lease = await leaseAt(address)
    await still.renew()
    await looked(lease, still.client)
    await assertWaitsForTime(lease.confirmed(), time)
    await until(() => still.questions.length === 1)
    await lease.confirmed()
    await still.client.query('select')
    assert.equal(still.questions.length, 1)
    await Promise.all([still.client.end(), lease.close()])
  })

  test('ends that wait together share a question', async () => {
    const address = await place()
    const other = await nodeByHand(address, 'other')
    const lease = await leaseAt(address)
    await other.renew()
    await looked(lease, other.client)
    const ends = Array.from({ length: 50 }, () => lease.confirmed())
    await until(() => other.questions.length > 0)
    await Promise.all(other.questions.map((question) => other.confirm(question)))
    await Promise.all(ends)
    assert.ok(other.questions.length <= 2, String(other.questions.length))
    await Promise.all([other.client.end(), lease.close()])
  })

  test('a node that has just begun to listen waits for a whole lease', async (t) => {
    const address = await place()
    const time = standingTime(t)
    const lease = await leaseAt(address, {})
    await assertWaitsForTime(lease.confirmed(), time)
    await lease.confirmed()
    await lease.close()
  })

  test('a node whose row is gone takes the rows of other nodes for lost', async (t) => {
    const address = await place()
    const time = standingTime(t)
    const lease = await leaseAt(address, {})
    const { client } = await nodeByHand(address, 'watcher')
    await time.pass(coordinationMs) // from here on it is old enough
    await lease.confirmed()
    await client.query('delete from nodes')
    await time.pass(leaseMs / 3) // it renews its row
    await until(async () => (await client.query('select from nodes')).rowCount === 1)
    await assertWaitsForTime(lease.confirmed(), time)
    await Promise.all([client.end(), lease.close()])
  })

  test('a node whose row is gone drops all that it keeps: the log may be purged', async () => {
    const address = await place()
    const lease = await leaseAt(address)
    const { client } = await nodeByHand(address, 'watcher')
    const kept = new KeptRows<{ name: string }>(lease, ({ name }) => [name])
    await kept.read('a', async () => ({ name: 'user 1' }))
    assert.deepEqual(kept.get('a'), { name: 'user 1' })
    // As the other nodes do while a machine is frozen for minutes.
    await client.query(
      `begin; insert into node_changes (subject) values ('user 1'); delete from node_changes;
        delete from nodes; commit`,
    )
    const before = lease.version()
    await until(() => lease.version() !== before)
    assert.equal(kept.get('a'), undefined)
    await until(() => lease.isCurrent())
    assert.equal((await client.query('select from nodes')).rowCount, 1)
    await Promise.all([client.end(), lease.close()])
  })

  test('an answer that comes late grants nothing: a lease counts from before the question', async () => {
    const address = await place()
    const network = await startProxy(`${address.host}/.s.PGSQL.${address.port}`)
    const far = { ...connectionOf(address), host: '127.0.0.1', port: network.port }
    const lease = createNodeLease(far, nodes)
    await until(() => lease.isCurrent())
    network.become({ delayMs: 550 }) // of each way
    await until(() => !lease.isCurrent())
    let [looks, current] = [0, 0]
    lease.onChanges?.(() => {
      looks += 1
      if (lease.isCurrent()) current += 1
    })
    const { client } = await nodeByHand(address, 'watcher')
    await until(async () => {
      await client.query("insert into node_changes (subject) values ('late')")
      if (lease.isCurrent()) current += 1
      return looks === 3
    })
    assert.equal(current, 0)
    network.become('pass')
    await until(() => lease.isCurrent())
    await Promise.all([client.end(), lease.close()])
    await network.close()
  })

  test('an end waits no longer than a lease if the own connection is silent', async (t) => {
    const address = await place()
    const time = standingTime(t)
    const network = await startProxy(`${address.host}/.s.PGSQL.${address.port}`)
    const far = { ...connectionOf(address), host: '127.0.0.1', port: network.port }
    const lease = createNodeLease(far, nodes)
    await until(() => lease.isCurrent())
    network.become('swallow')
    const ends = Array.from({ length: 3 }, () => lease.confirmed())
    await assertWaitsForTime(
      Promise.all(ends).then(() => {}),
      time,
    )
    assert.equal(lease.isCurrent(), false)
    network.become('pass')
    await lease.close()
    await network.close()
  })

  test('a node without its connection waits, and has no lease', async () => {
    const address = await place()
    const lease = await leaseAt(address, {})
    const { client } = await nodeByHand(address, 'watcher')
    await lease.confirmed()
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await until(() => !lease.isCurrent())
    const end = watched(lease.confirmed())
    await end.over
    assert.ok(end.ms >= 1000, String(end.ms))
    await until(() => lease.isCurrent())
    await Promise.all([client.end(), lease.close()])
  })

  test('a wall clock that jumps ends the lease: the machine may have been frozen', async () => {
    const address = await place()
    let jumpedMs = 0
    const clock = { now: () => Date.now() + jumpedMs }
    const lease = await leaseAt(address, { ...nodes, clock })
    for (const ms of [600, -600, 3_600_000]) {
      jumpedMs += ms
      assert.equal(lease.isCurrent(), false)
      await until(() => lease.isCurrent())
    }
    await lease.close()
  })

  test('behind a pooler there is no lease, and each end waits', async () => {
    const address = await place()
    const pooled = new URL(await databasePooler(address))
    const lease = createNodeLease(
      { ...connectionOf(address), host: pooled.hostname, port: Number(pooled.port) },
      {},
    )
    assert.equal(lease.isCurrent(), false)
    const end = watched(lease.confirmed())
    await end.over
    assert.ok(end.ms >= 1000, String(end.ms))
    assert.equal(lease.isCurrent(), false)
    await lease.close()
  })

  test('a node confirms after it has dropped what has ended, and only who knows the key', async () => {
    const address = await place()
    const lease = await leaseAt(address)
    const kept = new KeptRows<{ name: string }>(lease, ({ name }) => [name])
    const asker = await nodeByHand(address, 'asker')
    const answers = await confirmationsTo(asker)
    await asker.renew()
    for (const name of ['user 1', 'user 2']) await kept.read(name, async () => ({ name }))
    assert.deepEqual(
      [kept.get('user 1'), kept.get('user 2')],
      [{ name: 'user 1' }, { name: 'user 2' }],
    )
    await asker.client.query("insert into node_changes (subject) values ('user 1')")
    await asker.notify(channel, `${asker.id} 1 ${macOf('end', asker.id, '2')}`)
    await asker.notify(channel, `${asker.id} 2 ${macOf('end', asker.id, '2')}`)
    await until(() => answers.length > 0)
    assert.deepEqual([kept.get('user 1'), kept.get('user 2')], [undefined, { name: 'user 2' }])
    const [[id = '', number, mac]] = [answers[0]?.split(' ') ?? []]
    assert.deepEqual([number, mac], ['2', macOf(id, asker.id, '2')])
    await asker.client.query('select')
    assert.equal(answers.length, 1)
    await Promise.all([asker.client.end(), lease.close()])
  })

  test('a row that changes while it is read is not kept', async () => {
    const address = await place()
    const lease = await leaseAt(address)
    const { client } = await nodeByHand(address, 'writer')
    const kept = new KeptRows<{ name: string }>(lease, ({ name }) => [name])
    await kept.read('a', async () => {
      await looked(lease, client)
      return { name: 'user 1' }
    })
    assert.equal(kept.get('a'), undefined)
    await Promise.all([client.end(), lease.close()])
  })

  test('50 nodes come and go, and leave no row', async () => {
    const address = await place()
    for (let wave = 0; wave < 5; wave += 1) {
      const leases = await Promise.all(Array.from({ length: 10 }, () => leaseAt(address)))
      await Promise.all(leases.map((lease) => lease.confirmed()))
      await Promise.all(leases.map((lease) => lease.close()))
    }
    const { client } = await nodeByHand(address, 'watcher')
    assert.equal((await client.query('select from nodes')).rowCount, 0)
    await client.end()
  })
})
