import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { loadConfig, settings } from '../../../test/config.ts'
import { mistakesOf } from '../../../test/mistakes.ts'
import { formerNamesOf, renameFormerSettings } from './former-names.ts'
import { secret } from './kinds.ts'
import { ConfigError, loadConfig as load } from './load.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(folder, { recursive: true }))

const warningOf = (former: string, present: string) =>
  `${former}: the setting is now ${present}; ${former} works until 1.0`

suite('the former name of a setting', () => {
  test('is known for each setting that was renamed', () => {
    assert.deepEqual(
      formerNamesOf(settings)
        .map((names) => names.join(' '))
        .toSorted(),
      [
        'LOGIN_ADDRESS_ATTEMPTS LOGIN_IP_ATTEMPTS',
        'LOGIN_CAPTCHA_AFTER LOGIN_PROOF_OF_WORK_AFTER',
        'LOGIN_TRUSTED_CALLERS LOGIN_TRUSTED_NETWORKS',
        'PAGES_COLOR BRAND_COLOR',
        'PAGES_LOGO_FILE BRAND_LOGO_FILE',
        'PAGES_NAME BRAND_NAME',
        'PAGES_TEXTS_FILE BRAND_TEXTS_FILE',
        'REFUSALS_MAX REJECTIONS_KEPT',
        'RESET_SECONDS PASSWORD_RESET_SECONDS',
        'RETURN_ORIGINS REDIRECT_ORIGINS',
        'SIGN_IN_BY_MAIL EMAIL_SIGN_IN',
        'TOKEN_SECONDS LOGIN_TOKEN_SECONDS',
        'VERIFICATION_SECONDS EMAIL_VERIFICATION_SECONDS',
        'WEBHOOK_ADDRESSES WEBHOOK_NETWORKS',
      ],
    )
  })

  test('sets the setting, with one warning', () => {
    const config = loadConfig({ TOKEN_SECONDS: '60', PAGES_NAME: 'Acme' })
    assert.equal(config.token.singleSeconds, 60)
    assert.deepEqual(config.warnings.toSorted(), [
      warningOf('PAGES_NAME', 'BRAND_NAME'),
      warningOf('TOKEN_SECONDS', 'LOGIN_TOKEN_SECONDS'),
    ])
    const inForce = config.inForce().find(({ name }) => name === 'BRAND_NAME')
    assert.deepEqual([inForce?.value, inForce?.source], ['Acme', 'environment'])
  })

  test('may be set beside the present name to the same value, and to no other', () => {
    assert.equal(
      loadConfig({ TOKEN_SECONDS: '60', LOGIN_TOKEN_SECONDS: '60' }).token.singleSeconds,
      60,
    )
    assert.deepEqual(mistakesOf({ TOKEN_SECONDS: '60', LOGIN_TOKEN_SECONDS: '61' }), [
      'LOGIN_TOKEN_SECONDS and TOKEN_SECONDS, its former name, are set to different values',
    ])
  })

  test('counts as not set if it is empty', () => {
    const config = loadConfig({ TOKEN_SECONDS: '', LOGIN_TOKEN_SECONDS: '60' })
    assert.deepEqual([config.token.singleSeconds, config.warnings], [60, []])
  })

  test('is named below a mistake in its value', () => {
    assert.throws(
      () => loadConfig({ TOKEN_SECONDS: 'x' }),
      ({ message }: ConfigError) =>
        message.includes('  LOGIN_TOKEN_SECONDS must be a whole number') &&
        message.endsWith(`\n  ${warningOf('TOKEN_SECONDS', 'LOGIN_TOKEN_SECONDS')}`),
    )
  })

  test('if it is misspelt, leads to the present name', () => {
    assert.deepEqual(loadConfig({ RETURN_ORIGIN: 'x' }).misspelt, [
      'RETURN_ORIGIN: did you mean REDIRECT_ORIGINS?',
    ])
  })
})

suite('the former name of a secret', () => {
  const table = { NEW_KEY: secret({ formerly: 'OLD_KEY', doc: '' }) }
  const file = join(folder, 'key')
  writeFileSync(file, 'from a file\n', { mode: 0o600 })
  const read = (env: Record<string, string>) => {
    const { mistakes, ...renamed } = renameFormerSettings(env, [table])
    const config = load(env, [{ module: 'external', table }])
    const value = config.ofModules.get(table)?.NEW_KEY
    return { value: (value as { reveal(): string } | undefined)?.reveal(), mistakes, ...renamed }
  }

  test('has a form for a file too', () => {
    const { env, value, warnings } = read({ OLD_KEY_FILE: file })
    assert.equal(value, 'from a file')
    assert.deepEqual(env, { NEW_KEY_FILE: file })
    assert.deepEqual([...warnings.values()], [warningOf('OLD_KEY_FILE', 'NEW_KEY_FILE')])
  })

  test('is compared with the present name in each form, and shown in none', () => {
    for (const env of [
      { OLD_KEY: 'one value', NEW_KEY: 'two values' },
      { OLD_KEY_FILE: file, NEW_KEY_FILE: `${file}.2` },
      { OLD_KEY: 'one value', NEW_KEY_FILE: file },
    ]) {
      assert.throws(
        () => load(env, [{ module: 'external', table }]),
        (error) => error instanceof ConfigError && !/one value|two values/.test(error.message),
      )
    }
  })
})
