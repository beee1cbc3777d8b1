import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, testApp } from '../app.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'

const none = 424_242
const json = { title: 'On doors', body: 'They open.' }
const schemes = ['basic', 'session', 'bearer'] as const

suite('spec 4.3: posts', async () => {
  const app = await testApp()
  const someone = {
    user: await app.account('ursula', ['USER']),
    editor: await app.account('edith', ['EDITOR']),
    other: await app.account('edgar', ['EDITOR']),
    admin: await app.account('ada', ['ADMIN']),
    roleless: await app.account('norole', []),
  } as const satisfies Record<string, Someone>
  type Who = keyof typeof someone
  const proof = {} as Record<Who, Record<(typeof schemes)[number], Headers>>
  for (const who of Object.keys(someone) as Who[]) {
    const account = someone[who]
    proof[who] = {
      basic: app.basic(account),
      session: await app.session(account),
      bearer: await app.bearer(account),
    }
  }
  const call = (who: Who, method: string, path: string, more = {}) =>
    app.call(method, path, { headers: proof[who].bearer, ...more })
  const create = async (who: Who = 'editor', post: object = json) => {
    const { status, body } = await call(who, 'POST', '/api/posts', { json: post })
    assert.equal(status, 201)
    return body
  }
  const read = async (id: number) => (await call('user', 'GET', `/api/posts/${id}`)).body
  const lock = (id: number) => call('admin', 'PUT', `/api/admin/posts/${id}/lock`)

  /** Who may do it, by every scheme; the others are 403 and change nothing. */
  async function assertMay(
    allowed: readonly Who[],
    status: number,
    ask: () => Promise<readonly [method: string, path: string, more?: object]>,
  ) {
    for (const who of Object.keys(someone) as Who[]) {
      for (const scheme of schemes) {
        const [method, path, more] = await ask()
        const about = `${who} by ${scheme}`
        const before = await app.rows('sessions')
        const answer = await app.call(method, path, { headers: proof[who][scheme], ...more })
        if (allowed.includes(who)) {
          assert.equal(answer.status, status, `${about}: ${answer.text}`)
        } else {
          assertRefusal(answer, 403, 'Access denied', about)
          assert.deepEqual(await app.rows('sessions'), before)
        }
      }
    }
    const [method, path, more] = await ask()
    const before = await app.rows()
    assertRefusal(await app.call(method, path, more), 401, 'Authentication required')
    assert.deepEqual(await app.rows(), before)
  }

  test('POST /api/posts: 201, the post with its author and its times, unlocked', async () => {
    const post = await create()
    const now = new Date(app.clock.now()).toISOString()
    assert.deepEqual(post, {
      id: post.id,
      ...json,
      author_id: someone.editor.userId,
      author: 'edith',
      locked: false,
      created_at: now,
      updated_at: now,
    })
    assert.deepEqual(await read(post.id), post)
  })

  test('POST /api/posts without a body of the post: the empty text', async () => {
    assert.equal((await create('editor', { title: 'T' })).body, '')
  })

  test('POST /api/posts requires EDITOR or ADMIN', () =>
    assertMay(['editor', 'other', 'admin'], 201, async () => ['POST', '/api/posts', { json }]))

  test('GET /api/posts requires USER, EDITOR or ADMIN', () =>
    assertMay(['user', 'editor', 'other', 'admin'], 200, async () => ['GET', '/api/posts']))

  test('GET /api/posts/{id} requires USER, EDITOR or ADMIN', async () => {
    const { id } = await create()
    await assertMay(['user', 'editor', 'other', 'admin'], 200, async () => [
      'GET',
      `/api/posts/${id}`,
    ])
  })

  test('GET /api/editor/posts requires EDITOR or ADMIN, and shows the same list', async () => {
    await lock((await create()).id)
    await assertMay(['editor', 'other', 'admin'], 200, async () => ['GET', '/api/editor/posts'])
    for (const query of ['', '?page=1&limit=3']) {
      const [editors, everyones] = await Promise.all(
        ['/api/editor/posts', '/api/posts'].map((path) => call('editor', 'GET', path + query)),
      )
      assert.equal(editors?.text, everyones?.text)
      assert.equal(editors?.headers['x-total-count'], everyones?.headers['x-total-count'])
    }
    const { body } = await call('editor', 'GET', '/api/editor/posts')
    assert.equal(body.at(-1).locked, true)
  })

  test('PUT /api/posts/{id}: the author, or an ADMIN while the post is not locked', async () => {
    const { id } = await create()
    const ask = async () => ['PUT', `/api/posts/${id}`, { json: { title: 'New' } }] as const
    await assertMay(['editor', 'admin'], 200, ask)
    await lock(id)
    await assertMay(['editor'], 200, ask)
  })

  test('PUT /api/posts/{id}: an ADMIN may change the own post though it is locked', async () => {
    const { id } = await create('admin')
    await lock(id)
    const answer = await call('admin', 'PUT', `/api/posts/${id}`, { json: { title: 'Mine' } })
    assert.deepEqual([answer.status, answer.body.title], [200, 'Mine'])
  })

  test('PUT /api/posts/{id}: the author needs no role for it', async () => {
    const [id] = await seedPosts(app, 1, { authorId: someone.roleless.userId })
    const answer = await call('roleless', 'PUT', `/api/posts/${id}`, { json: { title: 'Mine' } })
    assert.equal(answer.status, 200)
  })

  test('PUT /api/posts/{id}: 200, what is given is merged, and updated_at tells when', async () => {
    let expected = await create()
    for (const change of [
      { title: 'Two' },
      { body: 'Two' },
      { title: 'T', body: '' },
      { title: 'T' },
    ]) {
      app.clock.advance(60)
      expected = {
        ...expected,
        ...change,
        updated_at: new Date(app.clock.now()).toISOString(),
      }
      const answer = await call('editor', 'PUT', `/api/posts/${expected.id}`, { json: change })
      assert.deepEqual([answer.status, answer.body], [200, expected])
      assert.deepEqual(await read(expected.id), expected)
    }
    app.clock.advance(60)
    const answer = await call('editor', 'PUT', `/api/posts/${expected.id}`, { json: {} })
    assert.deepEqual([answer.status, answer.body], [200, expected])
  })

  test('DELETE /api/posts/{id}: 200, the deleted post, which is 404 from then on', async () => {
    const post = await create()
    const answer = await call('admin', 'DELETE', `/api/posts/${post.id}`)
    assert.deepEqual([answer.status, answer.body], [200, post])
    for (const [method, path] of [
      ['GET', `/api/posts/${post.id}`],
      ['PUT', `/api/posts/${post.id}`],
      ['DELETE', `/api/posts/${post.id}`],
      ['PUT', `/api/admin/posts/${post.id}/lock`],
      ['DELETE', `/api/admin/posts/${post.id}/lock`],
    ] as const) {
      const more = path.endsWith('lock') || method !== 'PUT' ? {} : { json: {} }
      assertRefusal(await call('admin', method, path, more), 404, 'Post not found', path)
    }
  })

  test('DELETE /api/posts/{id} requires ADMIN, not even the author may otherwise', () =>
    assertMay(['admin'], 200, async () => ['DELETE', `/api/posts/${(await create()).id}`]))

  test('spec 3.4: an ADMIN locks and unlocks, a second time changes nothing', async () => {
    const post = await create()
    app.clock.advance(60)
    const path = `/api/admin/posts/${post.id}/lock`
    for (const [method, locked] of [
      ['DELETE', false],
      ['PUT', true],
      ['PUT', true],
      ['DELETE', false],
      ['DELETE', false],
    ] as const) {
      const answer = await call('admin', method, path)
      assert.deepEqual([answer.status, answer.body], [200, { ...post, locked }])
      assert.deepEqual(await read(post.id), { ...post, locked })
    }
    await assertMay(['admin'], 200, async () => ['PUT', path])
    await assertMay(['admin'], 200, async () => ['DELETE', path])
  })

  test('every change is recorded as an event, with the post and the caller', async () => {
    const started = app.log.length
    const { id } = await create()
    await call('editor', 'PUT', `/api/posts/${id}`, { json: { title: 'Two' } })
    await lock(id)
    await call('admin', 'DELETE', `/api/admin/posts/${id}/lock`)
    await call('admin', 'DELETE', `/api/posts/${id}`)
    const told = app.log.slice(started).map(({ event, post_id, by }) => [event, post_id, by])
    const [editor, admin] = [String(someone.editor.userId), String(someone.admin.userId)]
    assert.deepEqual(told, [
      ['post_created', id, editor],
      ['post_updated', id, editor],
      ['post_locked', id, admin],
      ['post_unlocked', id, admin],
      ['post_deleted', id, admin],
    ])
  })

  test('the author is the username of an account, and null without one', async () => {
    const guest = await app.account('guest', ['EDITOR'])
    const headers = app.basic(guest)
    const { body: post } = await app.call('POST', '/api/posts', { headers, json })
    assert.deepEqual([post.author, post.author_id], ['guest', guest.userId])
    await call('admin', 'DELETE', '/api/admin/accounts/guest')
    assert.deepEqual(await read(post.id), { ...post, author: null })
    await call('admin', 'DELETE', `/users/${guest.userId}`)
    const orphan = { ...post, author: null, author_id: null }
    assert.deepEqual(await read(post.id), orphan)
    const list = (await call('user', 'GET', '/api/posts')).body
    assert.deepEqual(
      list.find(({ id }: { id: number }) => id === post.id),
      orphan,
    )
    const answer = await call('admin', 'PUT', `/api/posts/${post.id}`, { json: { title: 'X' } })
    assert.equal(answer.status, 200) // without an author now, and not locked
  })

  test('violations: 400 with one entry of details for each, and nothing changed', async () => {
    const { id } = await create()
    const before = await app.rows()
    const details = [
      { path: ['title'], message: 'must NOT have fewer than 1 characters' },
      { path: ['body'], message: 'must be string' },
    ]
    for (const [method, path] of [
      ['POST', '/api/posts'],
      ['PUT', `/api/posts/${id}`],
    ] as const) {
      const bad = await call('editor', method, path, { json: { title: '', body: 5 } })
      assertRefusal(bad, 400, 'Validation failed', method, { details })
      const noObject = await call('editor', method, path, { json: [] })
      assert.deepEqual([noObject.status, noObject.body.details[0].path], [400, []])
      const headers = { ...proof.editor.bearer, 'content-type': 'application/json' }
      for (const body of ['{', '']) {
        const answer = await app.call(method, path, { headers, body })
        assertRefusal(answer, 400, 'Invalid request body', method)
      }
      const form = await call('editor', method, path, { form: json })
      assertRefusal(form, 400, 'Invalid request body', method)
    }
    const missing = await call('editor', 'POST', '/api/posts', { json: { body: 'b' } })
    const required = [{ path: ['title'], message: 'is required' }]
    assertRefusal(missing, 400, 'Validation failed', '', { details: required })
    assert.deepEqual(await app.rows(), before)
  })

  const order: readonly [string, string, Who | null, string, number][] = [
    ['POST', '/api/posts', null, '{', 401],
    ['POST', '/api/posts', 'user', '{', 403],
    ['POST', '/api/posts', 'editor', '{"title":5}', 400],
    ['PUT', '/api/posts/{id}', null, '{', 401],
    ['PUT', '/api/posts/{id}', 'other', '{', 403],
    ['PUT', '/api/posts/{id}', 'editor', '{"title":5}', 400],
    ['PUT', `/api/posts/${none}`, null, '{', 401],
    ['PUT', `/api/posts/${none}`, 'editor', '{"title":5}', 403],
    ['PUT', `/api/posts/${none}`, 'admin', '{"title":5}', 404],
    ['PUT', '/api/posts/x', 'admin', '{"title":5}', 404],
    ['DELETE', `/api/posts/${none}`, null, '', 401],
    ['DELETE', `/api/posts/${none}`, 'editor', '', 403],
    ['DELETE', `/api/posts/${none}`, 'admin', '', 404],
    ['GET', `/api/posts/${none}`, null, '', 401],
    ['GET', `/api/posts/${none}`, 'roleless', '', 403],
    ['GET', `/api/posts/${none}`, 'user', '', 404],
    ['PUT', `/api/admin/posts/${none}/lock`, 'editor', '', 403],
    ['PUT', `/api/admin/posts/${none}/lock`, 'admin', '', 404],
  ]
  test('order of checks: 401, 403, 404, 400', async () => {
    const { id } = await create()
    const before = await app.rows()
    for (const [method, path, who, body, status] of order) {
      const headers = { 'content-type': 'application/json', ...(who && proof[who].bearer) }
      const answer = await app.call(method, path.replace('{id}', String(id)), { headers, body })
      assert.equal(answer.status, status, `${method} ${path} ${who}: ${answer.text}`)
    }
    assert.deepEqual(await app.rows(), before)
  })
})

suite('spec 4.3: POSTS_DELETE_POLICY=owner', async () => {
  const app = await testApp({ POSTS_DELETE_POLICY: 'owner' })
  const [ann, bob] = [await app.account('ann'), await app.account('bob', ['EDITOR'])]

  test("the post's owner or an ADMIN deletes, locked or not; no other caller", async () => {
    for (const locked of [false, true]) {
      const ids = await seedPosts(app, 2, { authorId: ann.userId, locked })
      const before = await app.rows()
      for (const id of ids) {
        const answer = await app.call('DELETE', `/api/posts/${id}`, { headers: app.basic(bob) })
        assertRefusal(answer, 403, 'Access denied')
      }
      assert.deepEqual(await app.rows(), before)
      for (const [index, who] of [ann, app.admin].entries()) {
        const headers = app.basic(who)
        const answer = await app.call('DELETE', `/api/posts/${ids[index]}`, { headers })
        assert.deepEqual([answer.status, answer.body.id], [200, ids[index]])
      }
    }
    assert.deepEqual((await app.rows()).posts, [])
  })

  test('the post of a deleted user has no owner', async () => {
    const [id] = await seedPosts(app, 1, { authorId: null })
    const answer = await app.call('DELETE', `/api/posts/${id}`, { headers: app.basic(ann) })
    assertRefusal(answer, 403, 'Access denied')
  })
})

suite('GET /api/posts: paging as users v1', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  await seedPosts(app, 130)
  const read = (query = '') => app.call('GET', `/api/posts${query}`, { headers })
  const all = (await read()).body

  test('without page and limit: an array of all posts in id order, with X-Total-Count', async () => {
    const answer = await read()
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['x-total-count'], '130')
    assert.deepEqual(
      answer.body.map(({ id }: { id: number }) => id),
      Array.from({ length: 130 }, (_, index) => index + 1),
    )
    assert.deepEqual(answer.body[7], (await app.call('GET', '/api/posts/8', { headers })).body)
  })

  test('the envelope holds the slice from (page-1)*limit up to page*limit', async () => {
    for (const [query, page, limit] of [
      ['?page=1', 1, 10],
      ['?limit=3', 1, 3],
      ['?page=2&limit=10', 2, 10],
      ['?page=13', 13, 10],
      ['?page=14', 14, 10],
      ['?limit=50', 1, 50],
      ['?page=2&limit=51', 2, 51],
      ['?limit=1000', 1, 1000],
      ['?page=9007199254740991&limit=9007199254740991', 2 ** 53 - 1, 2 ** 53 - 1],
    ] as const) {
      const { status, body, headers } = await read(query)
      const data = all.slice((page - 1) * limit, page * limit)
      assert.deepEqual([status, body], [200, { page, limit, total: 130, data }], query)
      assert.equal(headers['x-total-count'], '130')
    }
  })

  test('T72: garbage in page or limit is the default', async () => {
    const expected = { page: 1, limit: 10, total: 130, data: all.slice(0, 10) }
    for (const value of ['', '0', 'x', '-1', '1.5', '1e1', '0x10', '9007199254740992', '%00']) {
      for (const query of [`?page=${value}`, `?limit=${value}`, `?page=${value}&page=2`]) {
        const { status, body } = await read(query)
        assert.deepEqual([status, body], [200, expected], query)
      }
    }
  })

  test('HEAD answers as GET does, without a body', async () => {
    for (const path of ['/api/posts', '/api/posts?page=2', '/api/editor/posts', '/api/posts/1']) {
      const answer = await app.call('HEAD', path, { headers })
      assert.deepEqual([answer.status, answer.text], [200, ''], path)
      if (path === '/api/posts/1') continue
      assert.equal(answer.headers['x-total-count'], '130')
      assert.equal(answer.headers['content-length'], undefined, 'GET would have another')
    }
    assert.equal((await app.call('HEAD', `/api/posts/${none}`, { headers })).status, 404)
  })

  test('no post at all: an empty array, and an empty page', async () => {
    const empty = await testApp({ PAGE_LIMIT_MAX: '20' })
    const call = { headers: empty.basic(empty.admin) }
    assert.deepEqual((await empty.call('GET', '/api/posts', call)).body, [])
    const { body } = await empty.call('GET', '/api/posts?limit=21', call)
    assert.deepEqual(body, { page: 1, limit: 20, total: 0, data: [] }) // PAGE_LIMIT_MAX
  })
})
