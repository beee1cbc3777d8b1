import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { reasons } from '../../src/core/reasons/reasons.ts'
import {
  codesWithStep,
  factsInWords,
  nextStep,
  readSoon,
} from '../../src/extras/explain/command-text.ts'

suite('what gatehouse explain shows to a person', () => {
  test('facts are words, with their times as they are told', () => {
    const facts = { used: 5, frees_at: '2026-03-02T09:30:00.000Z', roles: ['USER', 'EDITOR'] }
    assert.equal(
      factsInWords({ ...facts, accepted: [], kid: null }),
      'used 5, frees_at 2026-03-02T09:30:00.000Z, roles USER + EDITOR, accepted none, kid -',
    )
    assert.equal(factsInWords({}), null)
  })

  test('what to do next names the account, and only for reasons that there are', () => {
    assert.equal(nextStep('account_locked', 'bob'), 'npm run -s gatehouse -- account unlock bob')
    assert.equal(nextStep('account_locked', null), 'npm run -s gatehouse -- account unlock NAME')
    assert.equal(nextStep('constructor', 'bob'), null)
    assert.equal(nextStep(null, 'bob'), null)
    const step = 'wait until then, or npm run -s gatehouse -- throttle clear --address'
    assert.equal(nextStep('limit_address', null, '2001:db8::7'), `${step} 2001:db8::7`)
    assert.equal(nextStep('limit_address', null, '$(reboot)'), `${step} IP`)
    for (const code of codesWithStep) assert.ok(Object.hasOwn(reasons, code), code)
  })

  test('a name that a shell reads as more than a word is in no command', () => {
    for (const name of ['bob; reboot', '$(reboot)', '-rf', 'b\u001b[2J', "o'brien", 'a|b']) {
      assert.equal(
        nextStep('account_locked', name),
        'npm run -s gatehouse -- account unlock NAME',
        name,
      )
    }
  })

  test('a refusal that is asked for at once is waited for, and an unknown one not for ever', async () => {
    const waits: number[] = []
    const wait = async (milliseconds: number) => waits.push(milliseconds)
    const answers = [null, null, 'found', 'never read']
    assert.equal(await readSoon(async () => answers.shift() ?? null, wait), 'found')
    assert.deepEqual([waits, answers], [[250, 250], ['never read']])
    assert.equal(await readSoon(async () => null, wait), null)
    assert.equal(waits.length, 2 + 6)
  })
})
