// A database makes a difference: what is forged are its rows, and a rotation is one transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  checkpointDigest,
  signCheckpoint,
  signTombstone,
} from '../../src/modules/audit/checkpoint-form.ts'
import { checkpointKey } from '../../src/modules/audit/checkpoint-key.ts'
import { checkpointSeedOf } from '../../src/modules/keys/audit-keys.ts'
import { parseMasterKey } from '../../src/modules/keys/settings.ts'
import type { TestApp } from '../app.ts'
import { proofOf, recordEvents } from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'
import { keep, newKey, nodeWith } from '../master-key-rotation.ts'

/** A service with checkpoints before a rotation and behind it, and the key that was replaced. */
async function rotatedService(whileOld: (app: TestApp) => Promise<unknown> = async () => {}) {
  const before = newKey()
  const { app, env, next } = await nodeWith(before)
  const proof = await proofOf(app.deps)
  for (let round = 0; round < 3; round += 1) {
    await recordEvents(app.deps, 3)
    await proof.run()
    app.clock.advance(3600)
  }
  await proof.sent()
  await whileOld(app)
  keep(next, newKey())
  const turned = await gatehouse(app.directory, 'keys rotate-master', {
    env,
    clock: steppingClock(app.clock),
  })
  assert.equal(turned.code, 0, turned.stderr)
  await recordEvents(app.deps, 3)
  await proof.run()
  await proof.sent()
  const old = checkpointKey(checkpointSeedOf(parseMasterKey(before)))
  return { app, env, old }
}

async function problems({ app, env }: { app: TestApp; env: Record<string, string> }) {
  const { clock, directory } = app
  const { code, stdout } = await gatehouse(directory, 'audit verify --json', { env, clock })
  const report = JSON.parse(stdout)
  assert.equal(code, report.ok ? 0 : 1)
  return report.problems.map(({ detail }: { detail: string }) => detail) as string[]
}

const all = ({ deps }: TestApp) =>
  deps.db.selectFrom('audit_checkpoints').selectAll().orderBy('number').execute()

suite('who has the master key from before a turn, and the database', () => {
  test('finds the log whole as it is', async () => {
    assert.deepEqual(await problems(await rotatedService()), [])
  })

  test('adds no checkpoint behind the turn', async () => {
    const service = await rotatedService()
    const last = (await all(service.app)).at(-1)
    assert.ok(last)
    const forged = signCheckpoint(service.old, {
      ...{ number: last.number + 1, at: last.at + 1, previous: checkpointDigest(last) },
      ...{ heads: '[]', records: last.records },
    })
    await service.app.deps.db.insertInto('audit_checkpoints').values(forged).execute()
    const [found] = await problems(service)
    assert.match(
      String(found),
      new RegExp(`^checkpoint ${forged.number} is signed by ${service.old.id}`),
    )
  })

  test('rewrites none before it: the turn attests the last one', async () => {
    const service = await rotatedService()
    const { db } = service.app.deps
    let previous = ''
    for (const checkpoint of await all(service.app)) {
      if (checkpoint.key_id !== service.old.id) break
      const { key_id: _, signature: __, ...rest } = checkpoint
      const forged = signCheckpoint(service.old, { ...rest, previous, at: rest.at - 1 })
      previous = checkpointDigest(forged)
      await db
        .updateTable('audit_checkpoints')
        .set(forged)
        .where('number', '=', forged.number)
        .execute()
    }
    const found = await problems(service)
    assert.ok(
      found.some((detail) =>
        /is not the checkpoint that the turn of the master key attests/.test(detail),
      ),
      found.join('; '),
    )
  })

  test('has no tombstone signed anew by the turn that its key has not signed', async () => {
    const stranger = checkpointKey(checkpointSeedOf(parseMasterKey(newKey())))
    const removed = { chain: 'gone', place: 3, mac: 'm', records: 3, at: 0, closed: '' }
    const service = await rotatedService(({ deps }) => {
      const forged = signTombstone(stranger, removed)
      return deps.db.insertInto('audit_tombstones').values(forged).execute()
    })
    const { db } = service.app.deps
    const { key_id } = await db
      .selectFrom('audit_tombstones')
      .select('key_id')
      .executeTakeFirstOrThrow()
    assert.equal(key_id, stranger.id)
    assert.match((await problems(service)).join('; '), /tombstone of the chain gone is not signed/)
  })

  test('makes no tombstone, and changes no statement of the turn', async () => {
    const service = await rotatedService()
    const { db, clock } = service.app.deps
    const removed = { chain: 'gone', place: 3, mac: 'm', records: 3, at: clock.now(), closed: '' }
    await db.insertInto('audit_tombstones').values(signTombstone(service.old, removed)).execute()
    assert.match((await problems(service)).join('; '), /tombstone of the chain gone is not signed/)
    await db.deleteFrom('audit_tombstones').execute()
    await db
      .updateTable('audit_checkpoint_keys')
      .set((eb) => ({ number: eb('number', '+', 5) }))
      .execute()
    assert.match(
      (await problems(service)).join('; '),
      /the statement that the master key was turned/,
    )
    await db
      .updateTable('audit_checkpoint_keys')
      .set((eb) => ({ number: eb('number', '-', 5) }))
      .execute()
    assert.deepEqual(await problems(service), [])
    // Who has the next key alone cannot say what the key before would have said.
    await db
      .updateTable('audit_checkpoint_keys')
      .set((eb) => ({ own_signature: eb.ref('signature') }))
      .execute()
    assert.match(
      (await problems(service)).join('; '),
      /the statement that the master key was turned/,
    )
    await db.deleteFrom('audit_checkpoint_keys').execute()
    assert.notDeepEqual(await problems(service), [])
  })
})
