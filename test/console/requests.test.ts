import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { components } from '../../web/console/api/openapi.d.ts'

type Status = components['schemas']['AdminStatus']

// By a name that the compiler does not follow: it would check them without the types of a browser.
const view = (name: string) => import(`../../web/console/views/${name}.ts`)

suite('what the views ask the API', async () => {
  /** What the API answers, by the path of the request. */
  let answers: Record<string, object> = {}
  const requests: URL[] = []
  const location = { origin: 'https://auth.example.org', protocol: 'https:' }
  const { fetch } = globalThis
  after(() => void Object.assign(globalThis, { fetch, location: undefined, document: undefined }))
  Object.assign(globalThis, {
    document: { documentElement: { lang: 'en' } },
    location, // read when the client is loaded
    fetch: async ({ url }: Request) => {
      requests.push(new URL(url))
      const answer = answers[new URL(url).pathname]
      const refusal = { error: 'Access denied' }
      return answer ? Response.json(answer) : Response.json(refusal, { status: 403 })
    },
  })
  const { filterNames, readRecords } = await view('audit/query')
  const { queryOf } = await view('accounts/read-accounts')
  const { ownSteps, readSteps } = await view('overview/first-steps')
  const { firstStep: mail } = await view('mail/first-step')
  const { firstStep: backup } = await view('backup/first-step')
  const steps = [...ownSteps, mail, backup]
  const { signal } = new AbortController()

  test('the audit log is asked with each filter of the address', async () => {
    answers = { '/api/admin/audit': { data: [], next: null } }
    const values = (filterNames as readonly string[]).map(
      (name) => [name, `value of ${name}`] as const,
    )
    requests.length = 0
    await readRecords({ ...Object.fromEntries(values), type: 'one,two' }, { limit: 7 }, signal)
    const query = [...(requests[0]?.searchParams ?? [])].toSorted()
    const expected = values.filter(([name]) => name !== 'type')
    assert.deepEqual(
      query,
      [...expected, ['limit', '7'], ['type', 'one'], ['type', 'two']].toSorted(),
    )
  })

  test('the last login: each choice asks for its time, before or after it', () => {
    const now = Date.parse('2026-03-31T12:00:00Z')
    const asked = (last_login: string) => {
      const { sort: _, limit: __, ...query } = queryOf({ last_login }, now)
      return query
    }
    assert.deepEqual(asked('day'), { last_login_after: '2026-03-30T12:00:00.000Z' })
    assert.deepEqual(asked('month'), { last_login_after: '2026-03-01T12:00:00.000Z' })
    assert.deepEqual(asked('before-month'), { last_login_before: '2026-03-01T12:00:00.000Z' })
    assert.deepEqual(asked('before-year'), { last_login_before: '2025-03-31T12:00:00.000Z' })
    assert.deepEqual(asked('never'), { last_login: 'never' })
  })

  const administrator = { active: true, locked: false, email: 'admin@example.org' }
  const nothingDone = {
    '/api/admin/audit': { data: [{ type: 'user_created', actor: { kind: 'bootstrap' } }] },
    '/api/admin/accounts': { data: [administrator], next: null },
    '/api/admin/mail': { total: 0, data: [] },
  }
  /** What the first steps read of the status. */
  const status = (server: boolean, base_url: string) =>
    ({ mail: { enabled: true, server }, backups: { last_at: null }, base_url }) as Status

  test('a first step is done only if what it says is done', async () => {
    answers = nothingDone
    const open = { password: false, factor: false, mail: false, backup: true, https: true }
    const good = status(true, location.origin)
    // The audit log answers one record whatever is asked for: here it tells of a backup.
    assert.deepEqual(await readSteps(steps, good, signal), open)
    answers = { ...nothingDone, '/api/admin/audit': { data: [] } }
    assert.deepEqual(await readSteps(steps, good, signal), {
      ...open,
      password: true,
      backup: false,
    })

    const mails = (response: string) => ({
      ...nothingDone,
      '/api/admin/mail': { total: 1, data: [{ state: 'sent', response }] },
    })
    answers = mails('250 2.0.0 Ok: queued as 4ABC')
    assert.equal((await readSteps(steps, good, signal)).mail, true)
    assert.equal((await readSteps(steps, status(false, location.origin), signal)).mail, false)
    answers = mails('written to 2026-01-15T12-00-00-000Z-aaaaaaaaaaaaaaaaaaaaaa.eml')
    assert.equal(
      (await readSteps(steps, good, signal)).mail,
      false,
      'it was written before SMTP_URL was set',
    )

    assert.equal(
      (await readSteps(steps, status(true, 'http://auth.example.org'), signal)).https,
      false,
    )
    location.protocol = 'http:'
    assert.equal((await readSteps(steps, good, signal)).https, false)
    location.protocol = 'https:'
  })

  test('a first step that cannot be read is not called done', async () => {
    answers = {}
    const states = await readSteps(steps, status(true, location.origin), signal)
    assert.deepEqual(states, {
      password: null,
      factor: null,
      mail: null,
      backup: null,
      https: true,
    })
  })
})
