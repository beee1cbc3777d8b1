import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { ApiError } from '../../core/errors.ts'
import { assertAcceptablePassword } from './rules.ts'

const owner = { username: 'margaret', email: 'peggy.s@example.org' }
const breached = 'must not be a password known from breaches'
const decorated = 'must not be a common word or password with digits or signs in it or around it'
const keyboard = 'must not be a run of neighbouring keys'
const repeated = 'must not be one piece repeated'
const username = 'must not hold the username'
const email = 'must not hold the e-mail address'
const product = 'must not hold the name of this service'

async function refusalOf(
  text: string,
  { env = {}, known = false, about = owner }: Options = {},
): Promise<string | undefined> {
  const deps = { config: loadConfig(env), isBreached: async () => known }
  try {
    await assertAcceptablePassword({ text, field: 'password', ...about }, deps)
    return undefined
  } catch (error) {
    assert.ok(error instanceof ApiError && error.row === 'validationFailed')
    return error.details?.[0]?.message
  }
}

interface About {
  readonly username: string
  readonly email: string | undefined
}

interface Options {
  readonly env?: Record<string, string>
  readonly known?: boolean
  readonly about?: About
}

suite('5.6: what a new password must not be', () => {
  const refused: readonly (readonly [password: string, reason: string, about?: About])[] = [
    ['justinbieber', breached],
    ['JustinBieber', breached],
    ['Thecakeisalie', breached],
    ['correct horse battery staple', breached],
    ['Correct-Horse-Battery-Staple', breached],
    ['just1nb13b3r', decorated],
    ['!!JustinBieber!!', decorated],
    ['Password1234', breached],
    ['Password2031', decorated],
    ['P@ssw0rd2024', decorated],
    ['2024!Sunshine!', decorated],
    ['Welcome 123456', decorated],
    ['marinamarina1', decorated],
    ['passwordpassword', repeated],
    ['abcabcabcabc', repeated],
    ['AbcaBCabcabC', repeated],
    ['............', repeated],
    ['Qwertyuiop12', keyboard],
    ['1qaz@WSX3edc', keyboard],
    ['abcdefghijkl', keyboard],
    ['i am Margaret, hello', username],
    ['i am m4rg4ret, hello', username],
    ['peggy.s and her melons', email],
    ['write to Peggy.S@example.org', email],
    ['ann walks uphill', email, { username: 'quentin', email: 'ann@example.org' }],
    ['4nn walks uphill', email, { username: 'quentin', email: 'ann@example.org' }],
    ['mail BO@Example.org', email, { username: 'quentin', email: 'bo@example.org' }],
    ['x@y.zz, and uphill', email, { username: 'quentin', email: 'x@y.zz' }],
    ['my Gatehouse entry', product],
    ['my g4t3h0use entry', product],
  ]
  for (const [password, reason, about = owner] of refused) {
    test(`${password}: ${reason}`, async () =>
      assert.equal(await refusalOf(password, { about }), reason))
  }

  const accepted: readonly (readonly [password: string, about?: About])[] = [
    ['quiet melons'],
    ['quietmelonsrolluphill'],
    ['sunshine and moonlight'], // common words, but more than one
    ['kx7#pq2!mz9w'],
    ['ann walks uphill', { username: 'ann', email: 'a.ann@example.org' }], // too short to count
    ['bo walks uphill', { username: 'quentin', email: 'bo@example.org' }], // so is this local part
    ['melons of example.org', owner],
    ['no user to compare with', { username: 'quentin', email: undefined }],
  ]
  for (const [password, about] of accepted) {
    test(`${password} passes`, async () =>
      assert.equal(await refusalOf(password, { about: about ?? owner }), undefined))
  }

  test('a username counts in the form in which it is compared', async () => {
    const about = { username: 'brücke', email: undefined }
    assert.equal(await refusalOf('über die BRÜCKE'.normalize('NFD'), { about }), username)
  })

  test('what the service of breached passwords knows', async () => {
    assert.equal(await refusalOf('quiet melons', { known: true }), breached)
  })

  test('with bcrypt: more than 72 bytes, which it would not read', async () => {
    const env = { PASSWORD_HASH: 'bcrypt' }
    const text = 'quiet melons roll uphill while the keeper sleeps under his lamp at night '
    const tooLong = 'must have at most 72 bytes'
    assert.equal(await refusalOf(text.slice(0, 72), { env }), undefined)
    assert.equal(await refusalOf(text.slice(0, 73), { env }), tooLong)
    assert.equal(await refusalOf(`ü${text.slice(0, 71)}`, { env }), tooLong)
    assert.equal(await refusalOf(text.slice(0, 73)), undefined)
  })
})
