import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { heldBack } from './shares.ts'

const held = (sent: Record<string, number>, max: number) =>
  heldBack(new Map(Object.entries(sent)), max).toSorted()

const signUp = ['sign_up', 'sign_up_exists']
const verification = ['email_change', 'proof', 'verification']
const all = [...verification, 'reset', 'sign_in', ...signUp].toSorted()

suite('MAIL_PER_MINUTE is divided among the purposes of mail', () => {
  test('a purpose alone takes all but the room of the three others', () => {
    assert.deepEqual(held({}, 120), [])
    assert.deepEqual(held({ sign_up: 74 }, 120), [])
    assert.deepEqual(held({ sign_up: 75 }, 120), signUp)
    assert.deepEqual(held({ sign_up: 40, sign_up_exists: 35 }, 120), signUp)
    assert.deepEqual(held({ reset: 75 }, 120), ['reset'])
  })

  test('each purpose has its own room beside a flood, and no more', () => {
    assert.deepEqual(held({ sign_up: 75, reset: 14 }, 120), signUp)
    assert.deepEqual(held({ sign_up: 75, reset: 15 }, 120), ['reset', ...signUp])
    const others = { reset: 15, verification: 10, email_change: 5, sign_in: 14 }
    assert.deepEqual(
      held({ sign_up: 75, ...others }, 120),
      all.filter((name) => name !== 'sign_in'),
    )
    assert.deepEqual(held({ sign_up: 75, ...others, sign_in: 15 }, 120), all)
  })

  test('all purposes together keep to the limit', () => {
    assert.deepEqual(held({ reset: 60, sign_up: 15, verification: 15, sign_in: 30 }, 120), all)
  })

  test('of a small limit each purpose has one; below that the limit is not divided', () => {
    assert.deepEqual(held({ sign_up: 1 }, 4), signUp)
    assert.deepEqual(held({ sign_up: 2 }, 5), signUp)
    assert.deepEqual(held({ sign_up: 2 }, 3), [])
    assert.deepEqual(held({ sign_up: 3 }, 3), all)
    assert.deepEqual(held({ sign_up: 1 }, 1), all)
  })

  test('notices do not count', () => {
    assert.deepEqual(held({ password_changed: 500, test: 500 }, 120), [])
  })
})
