// A database makes a difference: the key set is sealed anew beside other nodes, by one transaction.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { codeOfStep, stepSeconds } from '../../src/modules/totp/totp.ts'
import { type TestApp, testApp } from '../app.ts'
import { proofOf, recordEvents } from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'
import { heard, sqliteOnly } from '../database.ts'
import { fromBase32 } from '../factor.ts'
import { print } from '../keys.ts'
import { keep, newKey, nodeWith } from '../master-key-rotation.ts'

const follow = async (...apps: readonly TestApp[]) => {
  for (const app of apps) {
    await heard(app)
    for (const job of app.app.jobs) if (job.name === 'keys of other processes') await job.run()
  }
}

/** The command, while these nodes run their jobs. */
function turn(
  words: string,
  { env, app }: { env: Record<string, string>; app: TestApp },
  nodes: readonly TestApp[],
) {
  const { now, wait } = steppingClock(app.clock)
  const clock = {
    now,
    async wait(milliseconds: number) {
      await follow(...nodes)
      await wait(milliseconds)
    },
  }
  return gatehouse(app.directory, `keys rotate-master ${words}`, { env, clock })
}

const ready = (app: TestApp) => app.call('GET', '/health/ready')
const serves = async (app: TestApp, token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const me = await app.call('GET', '/api/me', { headers })
  const login = await app.call('POST', '/login', {
    json: { username: app.admin.username, password: app.admin.password, mode: 'token' },
  })
  return [me.status, login.status, (await ready(app)).status]
}
const sealsOf = async (app: TestApp) => (await app.rows()).keys

suite('keys rotate-master', () => {
  test('nodes that know the next key serve on, sign as before, and open what was sealed', async () => {
    const one = await nodeWith(newKey())
    const two = await nodeWith(readFileSync(one.file, 'utf8'), one.app, 'two')
    const nodes = [one.app, two.app]
    await follow(...nodes)
    const token = await one.app.token(one.app.admin)
    const headers = { authorization: `Bearer ${token}` }
    const proof = { current_password: one.app.admin.password }
    const enrolment = await one.app.call('POST', '/api/account/totp', { headers, json: proof })
    const dataKey = print((await keysOf(one.app)).dataKey)
    const key = newKey()
    keep(one.next, `${key}\n`)
    keep(two.next, key)

    const asked = await turn('--check --json', one, nodes)
    assert.equal(asked.code, 0, asked.stderr)
    const { processes, before, next } = JSON.parse(asked.stdout)
    assert.deepEqual(
      processes.map(({ knows }: { knows: boolean }) => knows),
      [true, true],
    )
    const seals = await sealsOf(one.app)
    const done = await turn('--json --processes 2', one, nodes)
    assert.equal(done.code, 0, done.stderr)
    const shown = JSON.parse(done.stdout)
    assert.deepEqual(
      [shown.state, shown.before, shown.next, shown.in_place, shown.processes.length],
      ['turned', before, next, false, 2],
    )
    assert.notDeepEqual(await sealsOf(one.app), seals)
    await follow(...nodes)
    for (const app of nodes) assert.deepEqual(await serves(app, token), [200, 200, 200])
    assert.equal(print((await keysOf(one.app)).dataKey), dataKey)
    const step = Math.floor(one.app.clock.now() / 1000 / stepSeconds)
    const totp = codeOfStep(fromBase32(enrolment.body.secret), step)
    const json = { totp }
    const opened = await two.app.call('PUT', '/api/account/totp', { headers, json })
    assert.equal(opened.status, 200, 'a secret that was sealed before')

    for (const { file, next: nextFile } of [one, two]) renameSync(nextFile, file)
    await follow(...nodes)
    const ended = await Promise.all(nodes.map(ready)) // the factor has ended the token
    assert.deepEqual(
      ended.map(({ status }) => status),
      [200, 200],
    )
    const third = await nodeWith(key, one.app, 'three')
    assert.equal((await ready(third.app)).status, 200)
    const again = await turn('', one, nodes)
    assert.equal(again.code, 4, again.stderr)
    assert.match(again.stderr, /there is no next key: .*; nothing was changed/)
  })

  test('is refused while a node does not know the next key, and names it', async () => {
    const one = await nodeWith(newKey())
    const two = await nodeWith(readFileSync(one.file, 'utf8'), one.app, 'two')
    keep(one.next, newKey())
    const seals = await sealsOf(one.app)
    const refused = await turn('--wait 4', one, [one.app, two.app])
    assert.equal(refused.code, 4, refused.stderr)
    assert.match(
      refused.stderr,
      /these processes do not know the next key: \S+; nothing was changed/,
    )
    assert.deepEqual(await sealsOf(one.app), seals)
    const few = await turn('--processes 3', one, [one.app])
    assert.equal(few.code, 4, few.stderr)
    assert.match(few.stderr, /1 processes answered, 3 were expected; nothing was changed/)
    assert.deepEqual(await sealsOf(one.app), seals)
    assert.deepEqual((await one.app.rows()).master_key_turns, [])
  })

  test('a node that knows only the key before fails closed, says why, and recovers with its file', async () => {
    const one = await nodeWith(newKey())
    const token = await one.app.token(one.app.admin)
    const key = newKey()
    keep(one.next, key)
    const late = await nodeWith(readFileSync(one.file, 'utf8'), one.app, 'late')
    await follow(one.app, late.app)
    const turned = await turn('', one, [one.app]) // the other is cut off
    assert.equal(turned.code, 0, turned.stderr)
    await follow(one.app, late.app)
    assert.deepEqual(await serves(one.app, token), [200, 200, 200])
    const refused = { error: 'Service unavailable' }
    const headers = { authorization: `Bearer ${token}` }
    const me = await late.app.call('GET', '/api/me', { headers })
    assert.deepEqual([me.status, me.body.error], [503, refused.error])
    assert.deepEqual((await ready(late.app)).status, 503)
    const [told, more] = late.app.log.filter(({ msg }) => String(msg).includes('does not open'))
    assert.match(
      String(told?.reason),
      /^the master key does not open the key set in the database: it was turned to \S+ at 2026-\S+, and this process knows \S+$/,
    )
    assert.equal(more, undefined)
    const unready = late.app.log.find(({ msg }) => msg === 'not ready')
    assert.deepEqual([unready?.reason, unready?.detail], ['keys', told?.reason])
    for (const { knownKey } of [{ knownKey: key }, { knownKey: readFileSync(one.file, 'utf8') }]) {
      assert.ok(!JSON.stringify(late.app.log).includes(knownKey.trim()))
    }

    keep(late.file, key)
    await follow(late.app)
    assert.deepEqual(await serves(late.app, token), [200, 200, 200])
    assert.ok(late.app.log.some(({ msg }) => msg === 'the key set opens again'))
  })

  test('audit verify finds the log whole after a turn, and no node signs with the key before', async () => {
    const one = await nodeWith(newKey())
    const late = await nodeWith(readFileSync(one.file, 'utf8'), one.app, 'late')
    const proof = await proofOf(one.app.deps)
    const lateProof = await proofOf(late.app.deps)
    await recordEvents(one.app.deps, 5)
    await proof.run()
    await proof.sent()
    await recordEvents(late.app.deps, 1)
    const [first] = await checkpoints(one.app)
    keep(one.next, newKey())
    assert.equal((await turn('', one, [one.app])).code, 0)
    await recordEvents(late.app.deps, 5)
    one.app.clock.advance(3600)
    const before = await checkpoints(one.app)
    await assert.rejects(lateProof.run(), /^CheckpointKeyEnded|^KeySetNotOpened/)
    assert.deepEqual(await checkpoints(one.app), before)
    await follow(one.app)
    await proof.run()
    const after = await checkpoints(one.app)
    assert.equal(after.length, before.length + 1)
    assert.notEqual(after.at(-1)?.key_id, first?.key_id)
    const { clock, directory } = one.app
    const report = await gatehouse(directory, 'audit verify --json', { env: one.env, clock })
    assert.equal(report.code, 0, report.stdout)
    const { ok, notes, checked } = JSON.parse(report.stdout)
    assert.deepEqual([ok, notes], [true, []])
    assert.ok(checked.outside > 0)
  })

  test('a key that was in use before is refused', async () => {
    const first = newKey()
    const one = await nodeWith(first)
    keep(one.next, newKey())
    assert.equal((await turn('', one, [one.app])).code, 0)
    renameSync(one.next, one.file)
    keep(one.next, first)
    await follow(one.app)
    const refused = await turn('', one, [one.app])
    assert.equal(refused.code, 4, refused.stderr)
    assert.match(
      refused.stderr,
      /the next key was in use before: make a new one; nothing was changed/,
    )
  })

  test('a file that is broken while the service runs is told, and changes nothing', async () => {
    const one = await nodeWith(newKey())
    const token = await one.app.token(one.app.admin)
    await follow(one.app)
    keep(one.next, 'not a key')
    await follow(one.app)
    const [told] = one.app.log.filter(({ level }) => level === 'warn')
    assert.match(String(told?.msg), /^MASTER_KEY_NEXT_FILE must be 32 bytes/)
    const refused = await turn('', one, [one.app])
    assert.equal(refused.code, 4, refused.stderr)
    assert.match(refused.stderr, /MASTER_KEY_NEXT_FILE must be 32 bytes/)
    rmSync(one.next)
    rmSync(one.file)
    await follow(one.app)
    assert.deepEqual(await serves(one.app, token), [200, 200, 200])
  })

  sqliteOnly(
    'an own file that vanishes or breaks is told once, and the look for new keys goes on',
    async () => {
      const app = await testApp()
      const file = join(app.directory, 'master.key')
      const key = readFileSync(file, 'utf8')
      const token = await app.token(app.admin)
      await follow(app)
      for (const breakIt of [() => rmSync(file), () => keep(file, key.slice(0, 9))]) {
        breakIt()
        const told = () =>
          app.log.filter(({ msg }) => String(msg).includes('it is not used')).length
        const before = told()
        await follow(app)
        await follow(app)
        assert.equal(told(), before + 1)
        assert.deepEqual(await serves(app, token), [200, 200, 200])
      }
      keep(file, key)
      await follow(app)
      assert.equal((await ready(app)).status, 200)
    },
  )

  sqliteOnly('the own file is made, turned to and put in place by the command', async () => {
    const app = await testApp()
    const file = join(app.directory, 'master.key')
    const before = readFileSync(file, 'utf8')
    const token = await app.token(app.admin)
    await follow(app)
    const done = await turn('--json', { app, env: {} }, [app])
    assert.equal(done.code, 0, done.stderr)
    const shown = JSON.parse(done.stdout)
    assert.deepEqual([shown.state, shown.in_place, shown.processes.length], ['turned', true, 1])
    assert.notEqual(readFileSync(file, 'utf8'), before)
    assert.equal(existsSync(`${file}.next`), false)
    await follow(app)
    assert.deepEqual(await serves(app, token), [200, 200, 200])
    keep(file, before)
    const wrong = await gatehouse(app.directory, 'keys list')
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /the master key does not open the key set .*it was turned to/)
  })
})

async function checkpoints({ deps }: TestApp) {
  return deps.db.selectFrom('audit_checkpoints').selectAll().orderBy('number').execute()
}

async function keysOf({ deps }: TestApp) {
  const { loadKeySet } = await import('../../src/modules/keys/key-set.ts')
  return loadKeySet(deps)
}
