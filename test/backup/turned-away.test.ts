// A database makes a difference: a restore is one transaction, of which nothing must stay.
import assert from 'node:assert/strict'
import { readFileSync, renameSync } from 'node:fs'
import { suite, test } from 'node:test'
import { proofOf, recordEvents } from '../audit-log.ts'
import { restore } from '../backups.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { steppingClock } from '../clock.ts'
import { backupOf, place, restoredApp, restoring } from '../copies.ts'
import { keep, newKey, nodeWith } from '../master-key-rotation.ts'

/** A backup that was made behind a turn of the master key, which has checkpoints before it. */
async function backupBehindTurn() {
  const { app, env, file, next } = await nodeWith(newKey())
  const proof = await proofOf(app.deps)
  await recordEvents(app.deps, 3)
  await proof.run()
  const before = readFileSync(file, 'utf8')
  const after = newKey()
  keep(next, after)
  const turned = await gatehouse(app.directory, 'keys rotate-master', {
    env,
    clock: steppingClock(app.clock),
  })
  assert.equal(turned.code, 0, turned.stderr)
  renameSync(next, file)
  return { app, before, after, path: await backupOf(app) }
}

suite('a backup from behind a turn of the master key', () => {
  test('is not restored under the key before, and nothing is left of it', async () => {
    const { app, before, path } = await backupBehindTurn()
    const { deps, tables } = await place({ MASTER_KEY: before }, undefined, app.clock)
    await assert.rejects(restore(deps, path, restoring), {
      message:
        'the master key here is one that was turned away from before the backup was made: ' +
        'set MASTER_KEY to the one after it or to a new one, or remove DATA_DIR/master.key, which makes a new one',
    })
    assert.deepEqual(await tables(), [])
    // Without its keys nothing that they have signed is there.
    const bare = await place({ MASTER_KEY: before }, undefined, app.clock)
    await restore(bare.deps, await backupOf(app, { passphrase: undefined }), {
      ...restoring,
      ...{ withoutKeys: true, unverified: true },
    })
  })

  test('is restored under the key after it or a new one, which write checkpoints and turn', async () => {
    const { app, before, after, path } = await backupBehindTurn()
    for (const key of [after, newKey()]) {
      const env = { MASTER_KEY: key }
      const restored = await restoredApp(path, app, {}, env)
      const numbers = async () =>
        (await restored.deps.db.selectFrom('audit_checkpoints').select('number').execute()).map(
          ({ number }) => number,
        )
      const had = Math.max(...(await numbers()))
      const proof = await proofOf(restored.deps)
      await recordEvents(restored.deps, 3)
      restored.clock.advance(3600)
      await proof.run()
      assert.ok(Math.max(...(await numbers())) > had)

      const clock = steppingClock(restored.clock)
      const turnTo = (next: string) =>
        gatehouse(restored.directory, 'keys rotate-master', {
          env: { ...env, MASTER_KEY_NEXT: next },
          clock,
        })
      const away = await turnTo(before)
      assert.equal(away.code, 4, away.stderr)
      assert.match(
        away.stderr,
        /the next key was in use before: make a new one; nothing was changed/,
      )
      assert.deepEqual((await restored.rows()).master_key_turns, [])
      const turned = await turnTo(newKey())
      assert.equal(turned.code, 0, turned.stderr)
    }
  })
})
