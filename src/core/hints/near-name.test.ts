import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nearName } from './near-name.ts'

suite('the name that a mistyped one was meant to be', () => {
  const names = [
    'account',
    'keys',
    'BASE_URL',
    'SMTP_URL',
    'SESSION_IDLE_SECONDS',
    'KEY_ROTATION_DAYS',
  ]

  for (const [given, meant] of [
    ['acount', 'account'],
    ['accuont', 'account'],
    ['key', 'keys'],
    ['SMTP_ULR', 'SMTP_URL'],
    ['SMPT_ULR', 'SMTP_URL'],
    ['smtp_url', 'SMTP_URL'],
    ['SESION_IDLE_SECOND', 'SESSION_IDLE_SECONDS'],
    ['SMTP_URL', 'SMTP_URL'],
  ]) {
    test(`${given}: ${meant}`, () => assert.equal(nearName(given ?? '', names), meant))
  }

  test('is none if it differs in more places than one, or two in a long name', () => {
    for (const given of ['', 'aocunt', 'kes1', 'SMTP_PORT', 'SMTP_HOST', 'SESION_IDEL_SECOND']) {
      assert.equal(nearName(given, names), undefined, given)
    }
  })

  test('is the nearest, and of equally near ones the first', () => {
    assert.equal(nearName('BASE_URLS', ['BASE_UROSS', 'BASE_URL', 'BASE_URLX']), 'BASE_URL')
    assert.equal(nearName('SMTP_URI', ['SMTP_URN', 'SMTP_URL']), 'SMTP_URN')
  })
})
