// A database makes a difference: keys of persons are rows of its tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { unseal } from '../keys/seal.ts'
import { createPersonSeal } from './person-seal.ts'

suite('texts that are sealed for a person', async () => {
  const audit = await storedAudit()
  const { db, keys, random } = audit
  const texts = createPersonSeal({ db, random, keys: { audit: keys } } as unknown as Parameters<
    typeof createPersonSeal
  >[0]) // what is used

  suitesOnEmptyLog(audit, () => {})('a text', () => {
    test('opens in its context alone, until the key is gone', async () => {
      const { key, pseudonym } = await audit.person('7')
      const sealed = (await texts.seal(pseudonym, 'c', 'für Ann')) ?? assert.fail()
      assert.equal(unseal(key, 'c', sealed).toString(), 'für Ann')
      assert.equal(await texts.open(pseudonym, 'c', sealed), 'für Ann')
      assert.equal(await texts.open(pseudonym, 'd', sealed), null)
      assert.equal(await texts.open((await audit.person('8')).pseudonym, 'c', sealed), null)
      await db.deleteFrom('audit_subjects').where('subject', '=', '7').execute()
      assert.equal(await texts.open(pseudonym, 'c', sealed), null)
      assert.equal(await texts.seal(pseudonym, 'c', 'again'), null)
    })

    test('of no person is sealed under the data key', async () => {
      const sealed = (await texts.seal(null, 'c', 'text')) ?? assert.fail()
      assert.equal(unseal(keys.data, 'c', sealed).toString(), 'text')
      assert.equal(await texts.open(null, 'c', sealed), 'text')
      assert.equal(await texts.open(null, 'c', 'changed'), null)
    })

    test('is not sealed under a key that was changed', async () => {
      const { pseudonym } = await audit.person('7')
      await db.updateTable('audit_subjects').set({ sealed: 'x' }).execute()
      assert.equal(await texts.seal(pseudonym, 'c', 'text'), null)
      assert.equal(await texts.open(pseudonym, 'c', 'text'), null)
    })
  })
})
