// A database makes a difference: the names are selected by functions of the database.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { usernameStore } from '../../src/modules/accounts/username-store.ts'
import { type Someone, testApp } from '../app.ts'
import { verifyAddress } from '../mail.ts'

suite('what the doctor finds in usernames', async () => {
  const app = await testApp({ BRAND_NAME: 'Acme', RESERVED_USERNAMES: 'ceo' })
  const headers = app.basic(app.admin)
  const found = async () => {
    const { body } = await app.call('GET', '/api/admin/doctor', { headers })
    const ours = body.findings.filter(({ check }: { check: string }) => check === 'usernames')
    return ours.map(({ level, what }: { level: string; what: string }) => `${level}: ${what}`)
  }
  let made = 0
  /** An account of before the rules. */
  async function old(username: string, email?: string): Promise<Someone> {
    const someone = await app.account(`old${++made}`)
    await app.deps.db
      .updateTable('accounts')
      .set({ username })
      .where('user_id', '=', someone.userId)
      .execute()
    if (email !== undefined) await verifyAddress(app, someone, email)
    return { ...someone, username }
  }

  test('the first administrator and names that fit the rules are nothing', async () => {
    await app.account('root', ['ADMIN'])
    await app.account('ann')
    await app.account('аня')
    await app.account('タナカ田中')
    await old('bea@example.org', 'bea@example.org')
    await old('dan@bücher.example', 'dan@xn--bcher-kva.example')
    assert.deepEqual(await found(), [])
  })

  test('names that break the rules, by what is wrong with them and who has probably given them', async () => {
    const invisible = await old('ann\u2800', 'ann2@example.org')
    const mixed = await old('аdmin', 'admin2@example.org')
    const boss = await old('boss@corp.example', 'sq@evil.example')
    const imported = await old('eve@example.org')
    const [support, acme, ceo] = [await old('support'), await old('acme'), await old('ceo')]
    const shown = ({ userId, username }: Someone) => `${username} (user ${userId})`
    assert.deepEqual(await found(), [
      `warning: One username has an invisible character: ${shown(invisible)}.`,
      `warning: One username mixes letters of several scripts: ${shown(mixed)}.`,
      `warning: One username is a mail address that the account has not verified: ${shown(boss)}.`,
      `info: Each of 3 usernames is reserved: ${[support, acme, ceo].map(shown).join(', ')}.`,
      `info: One username is a mail address that the account has not verified: ${shown(imported)}.`,
    ])
  })

  test('accounts that cannot sign in on the pages, by any spelling of the domain', async () => {
    await verifyAddress(app, await app.account('carol'), 'carol@example.org')
    await verifyAddress(app, await app.account('zoe'), 'zoe@xn--bcher-kva.example')
    const squatters = [await old('carol@example.org'), await old('zoe@bücher.example')]
    const names = squatters.map(({ userId, username }) => `${username} (user ${userId})`)
    assert.ok(
      (await found()).includes(
        `warning: Each of 2 usernames cannot sign in on the pages: it is the verified address of another account: ${names.join(', ')}.`,
      ),
    )
  })

  test('ten names of a kind are shown, and the others counted', async () => {
    for (let index = 0; index < 12; index += 1) await old(`ann${index}\u034f`)
    const [what] = (await found()).filter((text: string) => text.startsWith('info: Each of 12'))
    assert.match(what, /ann9\u034f \(user \d+\), 2 more\.$/)
  })

  test('the store reads every account once, in steps', async () => {
    const store = usernameStore(app.deps.db)
    const read: number[] = []
    for (let last: number | null = 0; last !== null; ) {
      const step: Awaited<ReturnType<typeof store.unusualAfter>> = await store.unusualAfter(last, 3)
      read.push(...step.accounts.map(({ userId }) => userId))
      last = step.last
    }
    const all = await store.unusualAfter(0, 1000)
    assert.deepEqual(
      read,
      all.accounts.map(({ userId }) => userId),
    )
    assert.ok(read.length > 15)
  })
})
