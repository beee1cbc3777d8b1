import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { ask, type RawAnswer } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'
import { spellingsOf } from '../spellings.ts'

// The answers that a caller who is no ADMIN may get for any spelling. "Account not found" and
// "User not found" are missing on purpose: only the handler behind the guard says so.
const refusals: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Authentication required',
  403: 'Access denied',
  404: 'Route not found',
}

/** Whether a spelling is a query or a fragment of `/`, which is public and looks at neither. */
const isHome = (target: string) => /^(?:https?:\/\/[^/?#]*)?\/?(?:[?#]|$)/i.test(target)

/**
 * Whether a spelling is an address of the console below another host: a page without data, which
 * takes a session alone, so that every caller here is a stranger to it.
 */
const isConsole = (target: string) => /^https?:\/\/[^/?#]*\/admin(?:[/?#]|$)/i.test(target)

suite('role-protected paths', async () => {
  const app = await testApp()
  const victim = await app.account('victim')
  const admin = await app.bearer(app.admin)
  const callers: Readonly<Record<string, Headers>> = {
    nobody: {},
    user: await app.bearer(await app.account('ursula', ['USER'])),
    editor: await app.bearer(await app.account('edgar', ['EDITOR'])),
  }
  const { port } = await app.listen()
  const home = await ask(port, 'GET / HTTP/1.1')

  async function assertRefused(method: string, target: string): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = []
    for (const [caller, headers] of Object.entries(callers)) {
      const answer = await ask(port, `${method} ${target} HTTP/1.1`, headers)
      const error = refusals[answer.status] ?? 'a refusal'
      const about = `${method} ${target} by ${caller}`
      if (answer.status === 200 && isHome(target)) {
        const body = method === 'HEAD' ? '' : home.body
        assert.ok(method !== 'DELETE' && answer.body === body, about)
        answers.push(answer)
        continue
      }
      if (method === 'HEAD') assert.ok(answer.status in refusals && answer.body === '', about)
      else assertRefusal(answer, answer.status, error, about)
      const isStranger = caller === 'nobody' || isConsole(target)
      assert.ok(isStranger ? answer.status !== 403 : answer.status !== 401, about)
      answers.push(answer)
    }
    return answers
  }

  test('T61: no spelling of an administration path opens it for an anonymous caller, USER or EDITOR', async () => {
    const targets = spellingsOf('/api/admin/accounts')
    assert.ok(targets.length > 850, String(targets.length))
    const before = await app.rows()
    const opened: string[] = []
    await each(targets, async (target) => {
      const [forNobody, ...forOthers] = await assertRefused('GET', target)
      const forAdmin = await ask(port, `GET ${target} HTTP/1.1`, admin)
      if (isHome(target)) assert.equal(forAdmin.body, forNobody?.body, target)
      else if (isConsole(target)) assert.equal(forAdmin.status, 401, target)
      else if (forAdmin.status === 200 || forAdmin.body.includes('Account not found')) {
        opened.push(target)
        assert.equal(forNobody?.status, 401, target)
        for (const { status } of forOthers) assert.equal(status, 403, target)
      }
    })
    // The table does hold spellings that lead there: with them the others are put to the test.
    for (const known of [
      '/api/admin/accounts',
      '/api/%61dmin/accounts',
      '/api/admin/accounts?x=1',
    ]) {
      assert.ok(opened.includes(known), known)
    }
    assert.deepEqual(await app.rows(), before)
  })

  const deletable = ['/users', '/api/v1/users', '/api/v2/users'].map(
    (users) => `${users}/${victim.userId}`,
  )
  for (const [third, path] of [...deletable, '/api/admin/accounts/victim'].entries()) {
    test(`T61: no spelling of DELETE ${path} deletes for an anonymous caller, USER or EDITOR`, async () => {
      const before = await app.rows()
      // A third of the table for each path, and another third for the next.
      const targets = spellingsOf(path).filter((_, index) => (index + third) % 3 === 0)
      assert.ok(targets.length > 200, String(targets.length))
      await each(targets, async (target) => void (await assertRefused('DELETE', target)))
      assert.deepEqual(await app.rows(), before)
    })
  }

  const overrides = ['X-Original-URL', 'X-Rewrite-URL', 'X-Forwarded-Uri', 'X-Forwarded-Path']
  const prefixes = [
    'X-Forwarded-Prefix',
    'X-Original-Uri',
    'X-Script-Name',
    'X-Envoy-Original-Path',
  ]
  for (const name of [...overrides, ...prefixes]) {
    test(`T62: ${name} neither opens a path nor hides one`, async () => {
      for (const headers of Object.values(callers)) {
        const toAdmin = { ...headers, [name]: '/api/admin/accounts' }
        const live = await ask(port, 'GET /health/live HTTP/1.1', toAdmin)
        assert.deepEqual([live.status, live.body], [200, '{"status":"live"}'])
        const toPublic = { ...headers, [name]: '/api/public/status' }
        const plain = await ask(port, 'GET /api/admin/accounts HTTP/1.1', headers)
        const hidden = await ask(port, 'GET /api/admin/accounts HTTP/1.1', toPublic)
        assert.deepEqual([hidden.status, hidden.body], [plain.status, plain.body])
        assert.ok(hidden.status === 401 || hidden.status === 403)
      }
    })
  }

  test('T62: no header, query or body field changes the method, even for an ADMIN', async () => {
    const before = await app.rows()
    const path = `/users/${victim.userId}`
    const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Method']
    for (const name of names) {
      const headers = { ...admin, [name]: 'DELETE' }
      assert.equal((await ask(port, `GET ${path} HTTP/1.1`, headers)).status, 200, name)
      assertRefusal(await ask(port, `POST ${path} HTTP/1.1`, headers), 404, 'Route not found', name)
    }
    const byQuery = await ask(port, `GET ${path}?_method=DELETE HTTP/1.1`, admin)
    assert.equal(byQuery.status, 200)
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '14' }
    const byForm = await ask(port, `POST ${path} HTTP/1.1`, { ...admin, ...form }, '_method=DELETE')
    assertRefusal(byForm, 404, 'Route not found')
    assert.deepEqual(await app.rows(), before)
  })

  test('T62: headers by which proxies name a user or its roles are no credentials', async () => {
    const names = ['X-Forwarded-User', 'X-Remote-User', 'Remote-User', 'X-User', 'X-User-Id']
    const more = ['X-Auth-Request-User', 'X-WEBAUTH-USER', 'X-Roles', 'X-User-Roles', 'X-Role']
    for (const name of [...names, ...more, 'X-Forwarded-Client-Cert', 'X-SSL-Client-Verify']) {
      for (const value of ['admin', 'ADMIN', '1', 'SUCCESS']) {
        const answer = await ask(port, 'GET /api/admin/accounts HTTP/1.1', { [name]: value })
        assertRefusal(answer, 401, 'Authentication required', name)
      }
    }
  })

  const methods = [...METHODS.filter((method) => method !== 'CONNECT'), 'get', 'Get', 'GETS', 'X']
  test('T63: the guard of /api/admin holds for every method, also unusual ones', async () => {
    const before = await app.rows()
    const paths = [
      '/api/admin/accounts',
      '/api/admin/accounts/victim',
      '/api/admin',
      '/api/admin/x',
    ]
    await each(methods, async (method) => {
      for (const path of paths) {
        if (method !== 'OPTIONS') await assertRefused(method, path)
      }
    })
    assert.deepEqual(await app.rows(), before)
  })

  test('T63: HEAD is guarded like its GET, and says nothing but headers to an ADMIN', async () => {
    const paths = ['/api/admin/accounts', '/api/admin/accounts/victim', '/users', '/api/v2/users']
    for (const path of paths) {
      const head = await ask(port, `HEAD ${path} HTTP/1.1`, admin)
      assert.deepEqual([head.status, head.body], [200, ''], path)
      assertHeaders(head)
      const [nobody, , editor] = await assertRefused('HEAD', '/api/admin/accounts')
      assert.deepEqual([nobody?.status, editor?.status], [401, 403])
    }
  })

  test('T63: OPTIONS shows nothing of a protected path', async () => {
    for (const headers of [...Object.values(callers), admin]) {
      const known = await ask(port, 'OPTIONS /api/admin/accounts HTTP/1.1', headers)
      const unknown = await ask(port, 'OPTIONS /api/admin/nothing-here HTTP/1.1', headers)
      assert.ok([204, 401, 403, 404].includes(known.status), String(known.status))
      assert.deepEqual([known.status, known.body], [unknown.status, unknown.body])
      assert.equal(known.headers.allow, undefined)
      assertHeaders(known)
    }
  })

  test('an unknown path of a group asks for the role first, and is 404 for everybody elsewhere', async () => {
    const rows: readonly [string, number, number, number][] = [
      ['/api/admin', 401, 403, 403],
      ['/api/admin/', 401, 403, 403],
      ['/api/admin/nothing/here', 401, 403, 403],
      ['/api/editor/nothing', 401, 403, 404],
      ['/api/user/nothing', 401, 404, 403],
      ['/api/public/nothing', 404, 404, 404],
      ['/api/administration', 404, 404, 404],
      ['/API/ADMIN/accounts', 404, 404, 404],
      ['/nothing', 404, 404, 404],
    ]
    for (const [path, ...statuses] of rows) {
      const answers = await assertRefused('GET', path)
      assert.deepEqual(
        answers.map(({ status }) => status),
        statuses,
        path,
      )
    }
  })
})

/** Runs over a table with a few requests at a time. */
async function each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>) {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await run(item)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}
