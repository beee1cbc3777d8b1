import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLookUp } from '../../src/core/module/reasons.ts'
import { factsInWords, nextStepOf, readSoon } from '../../src/extras/explain/command-text.ts'
import { modules } from '../../src/modules.ts'

const lookUp = createLookUp(modules)
const nextStep = async (code: string, ...of: [username: string | null, address?: string]) =>
  nextStepOf(await lookUp(code), ...of)

suite('what gatehouse explain shows to a person', () => {
  test('facts are words, with their times as they are told', () => {
    const facts = { used: 5, frees_at: '2026-03-02T09:30:00.000Z', roles: ['USER', 'EDITOR'] }
    assert.equal(
      factsInWords({ ...facts, accepted: [], kid: null }),
      'used 5, frees_at 2026-03-02T09:30:00.000Z, roles USER + EDITOR, accepted none, kid -',
    )
    assert.equal(factsInWords({}), null)
  })

  test('what to do next names the account, and only for reasons that there are', async () => {
    assert.equal(
      await nextStep('account_locked', 'bob'),
      'npm run -s gatehouse -- account unlock bob',
    )
    assert.equal(
      await nextStep('account_locked', null),
      'npm run -s gatehouse -- account unlock NAME',
    )
    assert.equal(await nextStep('constructor', 'bob'), null)
    const step = 'wait until then, or npm run -s gatehouse -- throttle clear --address'
    assert.equal(await nextStep('limit_address', null, '2001:db8::7'), `${step} 2001:db8::7`)
    assert.equal(await nextStep('limit_address', null, '$(reboot)'), `${step} IP`)
    assert.equal(nextStepOf({}, 'bob'), null)
  })

  test('a name that a shell reads as more than a word is in no command', async () => {
    for (const name of ['bob; reboot', '$(reboot)', '-rf', 'b\u001b[2J', "o'brien", 'a|b']) {
      assert.equal(
        await nextStep('account_locked', name),
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
