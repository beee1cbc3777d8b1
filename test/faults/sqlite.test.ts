import { suite, test } from 'node:test'
import { killUnderLoad } from './kills.ts'
import { assertMigration, assertNewerIsRefused, assertOneSchema, assertWhole } from './outcomes.ts'

/** The same of SQLite, whose file is all that a killed process leaves behind. */
suite('a SQLite file whose process was killed', { concurrency: true }, () => {
  test('R1: holds all that was acknowledged, and no half of anything', async () => {
    assertWhole(await killUnderLoad({ kills: 1, changes: 60, victim: 'service' }))
  })

  test('R1: and so with two workers, whose chains of the audit log are whole', async () => {
    assertWhole(await killUnderLoad({ kills: 1, changes: 60, victim: 'service', workers: 2 }))
  })

  test('R8: a migration that is killed in the middle runs again, and is whole', async () => {
    await assertMigration(null, [9])
  })

  test('R8: so is one from the version before, with accounts of every kind', async () => {
    await assertMigration(null, [14], 'everything')
  })

  test('R8: a newer schema is refused with what to do, and exit code 1', async () => {
    await assertNewerIsRefused(null)
  })

  test('R8: two processes that start at once on nothing make one schema', async () => {
    await assertOneSchema(null)
  })
})
