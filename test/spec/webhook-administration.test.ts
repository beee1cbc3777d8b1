// A database makes a difference: pages by cursor, repetition in batches, removal in steps.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { loadKeySet } from '../../src/modules/keys/key-set.ts'
import { seal } from '../../src/modules/keys/seal.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { assertRefusal } from '../refusal.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, runJob, sendUntil, setUp } from '../webhook-sending.ts'
import { addDeliveries, newWebhook, unheard, webhooks } from '../webhooks.ts'

const refusedUrl = (message: string) => ({ details: [{ path: ['url'], message }] })

suite('the administration of webhooks', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const call = (method: string, path: string, json?: unknown, more: Record<string, string> = {}) =>
    app.call(method, path, {
      headers: { ...headers, ...more },
      ...(json !== undefined && { json }),
    })

  test('a new one is shown with its secret once, and stored without its address', async () => {
    const url = 'https://Hooks.Example.org/a%20b?token=canary-of-the-address'
    const json = { url, events: ['user_*', 'user_*', 'audit_checkpoint'], description: 'HR' }
    const made = await call('POST', webhooks, json)
    assert.equal(made.status, 201)
    const { id, secret, created_at, ...rest } = made.body
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(rest, {
      url: 'https://hooks.example.org/a%20b?token=canary-of-the-address',
      description: 'HR',
      events: ['user_*', 'audit_checkpoint'],
      content: 'ids',
      state: 'enabled',
      previous_secret_until: null,
      updated_at: created_at,
      health: { failing_since: null, succeeded_at: null, status: null },
    })
    const shown = await call('GET', `${webhooks}/${id}`)
    assert.deepEqual(shown.body, { id, created_at, ...rest })
    assert.equal(shown.headers.etag, made.headers.etag)
    const rows = JSON.stringify(await app.rows())
    for (const text of [secret, secret.slice(6), 'canary-of-the-address']) {
      assert.ok(!rows.includes(text) && !JSON.stringify(app.log).includes(text))
    }
  })

  const private10 = '10.0.0.1 is a private address, which is not allowed'
  const notHttps = 'must be an https address'
  const urls: readonly (readonly [url: string, message: string])[] = [
    ['hooks.example.org', notHttps],
    ['ftp://hooks.example.org/', notHttps],
    ['javascript:alert(1)', notHttps],
    ['https:hooks.example.org', notHttps],
    ['https:\\\\hooks.example.org', notHttps],
    ['https://hooks.example.org/\n', notHttps],
    [' https://hooks.example.org/', notHttps],
    ['https://hooks.example.org/ü', notHttps],
    ['https://hooks.example.org:99999/', notHttps],
    ['https://hooks.example.org:0/', 'must not have the port 0'],
    ['http://hooks.example.org/', 'https is required outside this machine'],
    ['https://user:pass@hooks.example.org/', 'must not hold a username or a password'],
    ['https://user@hooks.example.org/', 'must not hold a username or a password'],
    ['https://@hooks.example.org/', 'must not hold a username or a password'],
    ['https://hooks.example.org/#part', 'must not hold a fragment'],
    ['https://hooks.example.org/#', 'must not hold a fragment'],
    ['https://10.0.0.1/', private10],
    ['https://10.1/', private10],
    ['https://0x0a000001/', private10],
    ['https://167772161/', private10],
    ['https://[::ffff:10.0.0.1]/', private10],
    ['https://[64:ff9b::a00:1]/', '64:ff9b::a00:1 is a translated address, which is not allowed'],
    ['https://169.254.1.1/', '169.254.1.1 is a link-local address, which is not allowed'],
    ['https://169.254.169.254/', '169.254.169.254 is a metadata address, which is not allowed'],
    ['https://metadata.google.internal/', 'the host is a metadata service'],
    [`https://hooks.example.org/${'x'.repeat(2048)}`, 'must NOT have more than 2048 characters'],
  ]
  for (const [url, message] of urls) {
    test(`the address ${JSON.stringify(url.slice(0, 60))} is refused at set-up and by a change`, async () => {
      const { id } = await newWebhook(app, {}, headers)
      const before = await app.rows()
      const json = { url, events: ['*'] }
      assertRefusal(
        await call('POST', webhooks, json),
        400,
        'Validation failed',
        url,
        refusedUrl(message),
      )
      assertRefusal(
        await call('PUT', `${webhooks}/${id}`, { url }),
        400,
        'Validation failed',
        url,
        refusedUrl(message),
      )
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('loopback is allowed outside production alone, listed addresses always, metadata never', async () => {
    const settings = { NODE_ENV: 'production', TRUST_PROXY: 'none' }
    const strict = await testApp(settings)
    const listed = await testApp({
      ...settings,
      WEBHOOK_NETWORKS: '10.0.0.0/8, 127.0.0.1, 169.254.0.0/16',
    })
    const status = async (on: typeof app, url: string) => {
      const json = { url, events: ['*'] }
      return (await on.call('POST', webhooks, { headers: await on.bearer(on.admin), json })).status
    }
    const table: Record<string, readonly [number, number, number]> = {
      'http://127.0.0.1:8080/': [201, 400, 201],
      'https://localhost/': [201, 400, 201],
      'http://[::1]/': [201, 400, 400],
      'https://10.0.0.1/': [400, 400, 201],
      'https://169.254.169.254/': [400, 400, 400],
      'https://8.8.8.8/': [201, 201, 201],
    }
    for (const [url, expected] of Object.entries(table)) {
      const seen = [await status(app, url), await status(strict, url), await status(listed, url)]
      assert.deepEqual(seen, expected, url)
    }
  })

  test('a choice of events names events that there are', async () => {
    const before = await app.rows()
    for (const [events, path, message] of [
      [[], ['events'], 'must choose at least one event'],
      [['no_such_event'], ['events', '0'], 'chooses no event that there is'],
      [['user_created', 'user_*d'], ['events', '1'], 'chooses no event that there is'],
      [['xyz_*'], ['events', '0'], 'chooses no event that there is'],
      [['audit_*check'], ['events', '0'], 'chooses no event that there is'],
      [['User_created'], ['events', '0'], 'chooses no event that there is'],
      [
        Array.from({ length: 101 }, (_, index) => `a${index}`),
        ['events'],
        'must hold at most 100 names',
      ],
    ] as const) {
      const answer = await call('POST', webhooks, { url: unheard, events })
      const details = [{ path, message }]
      assertRefusal(answer, 400, 'Validation failed', JSON.stringify(events), { details })
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a change meets its ETag or is refused; a message does not change the ETag', async () => {
    const { id } = await newWebhook(app, {}, headers)
    const path = `${webhooks}/${id}`
    const { etag } = (await call('GET', path)).headers
    await app.deps.db
      .insertInto('webhook_health')
      .values({ endpoint: id, failing_since: 5, status: 500 })
      .execute()
    const seen = await call('GET', path)
    assert.deepEqual([seen.headers.etag, seen.body.health.status], [etag, 500])
    const changed = await call('PUT', path, { content: 'full' }, { 'if-match': String(etag) })
    assert.deepEqual([changed.status, changed.body.content], [200, 'full'])
    assert.notEqual(changed.headers.etag, etag)
    assert.equal((await call('GET', path)).headers.etag, changed.headers.etag)
    const before = await app.rows()
    for (const [method, where] of [
      ['PUT', path],
      ['DELETE', path],
      ['POST', `${path}/secret`],
    ] as const) {
      for (const stale of [String(etag), '"nothing"', `W/${changed.headers.etag}`]) {
        const json = method === 'PUT' ? { content: 'ids' } : undefined
        const answer = await call(method, where, json, { 'if-match': stale })
        assertRefusal(answer, 412, 'Precondition failed', `${method} ${stale}`)
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('a doubled parameter is refused, and of a doubled field the last one counts', async () => {
    const { id } = await newWebhook(app, {}, headers)
    for (const name of ['state', 'type', 'message', 'since', 'until', 'cursor', 'webhook']) {
      const path = `${webhooks}/deliveries?${name}=x&${name}=x`
      const details = [{ path: [name], message: 'must be given once' }]
      assertRefusal(await call('GET', path), 400, 'Validation failed', name, { details })
    }
    const typed = { ...headers, 'content-type': 'application/json' }
    const body = '{"url":"https://10.0.0.1/","url":"https://8.8.8.8/"}'
    const answer = await app.call('PUT', `${webhooks}/${id}`, { headers: typed, body })
    assert.deepEqual([answer.status, answer.body.url], [200, 'https://8.8.8.8/'])
    const other = '{"url":"https://8.8.8.8/","url":"https://10.0.0.1/"}'
    const refused = await app.call('PUT', `${webhooks}/${id}`, { headers: typed, body: other })
    assertRefusal(refused, 400, 'Validation failed', '', refusedUrl(private10))
  })

  test('deliveries are found by each filter, and paged to their end without gaps', async () => {
    const at = app.clock.now()
    const [one, other] = [await newWebhook(app, {}, headers), await newWebhook(app, {}, headers)]
    const rows = Array.from({ length: 25 }, (_, index) => ({
      state: index % 5 === 0 ? ('failed' as const) : ('delivered' as const),
      type: index % 2 === 0 ? 'user_created' : 'user_deleted',
      at: at - index * 60_000,
      message: `of-one-${index}`,
    }))
    const ids = await addDeliveries(app, one.id, rows)
    await addDeliveries(app, other.id, [{ message: 'of-other' }])
    const page = async (query: string, path = `${webhooks}/${one.id}/deliveries`) => {
      const answer = await call('GET', `${path}?${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const numbers = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id)
    const seen: number[] = []
    for (let cursor = ''; ; ) {
      const { data, next, limit } = await page(`limit=10${cursor}`)
      assert.equal(limit, 10)
      seen.push(...numbers({ data }))
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    assert.deepEqual(seen, ids.toReversed())
    const failed = ids.filter((_, index) => index % 5 === 0).toReversed()
    assert.deepEqual(numbers(await page('state=failed')), failed)
    const type = await page('type=user_deleted&limit=100')
    assert.equal(type.data.length, 12)
    assert.deepEqual(numbers(await page('message=of-one-3')), [ids[3]])
    const since = new Date(at - 120_000).toISOString()
    const until = new Date(at).toISOString()
    assert.deepEqual(numbers(await page(`since=${since}&until=${until}`)), [ids[2], ids[1]])
    const all = `${webhooks}/deliveries`
    assert.deepEqual(numbers(await page(`webhook=${one.id}&message=of-other`, all)), [])
    assert.equal((await page(`message=of-other`, all)).data[0].webhook, other.id)
    for (const [query, path, message] of [
      ['state=lost', 'state', 'must be one of waiting, delivered, failed, cancelled'],
      ['type=%00', 'type', 'must have 1 to 64 letters, digits and characters of _ : . -'],
      ['cursor=1', 'cursor', 'must be the `next` of a page'],
      ['cursor=', 'cursor', 'must be the `next` of a page'],
    ] as const) {
      const details = [{ path: [path], message }]
      const answer = await call('GET', `${all}?${query}`)
      assertRefusal(answer, 400, 'Validation failed', query, { details })
    }
  })

  test('a page looks through a bounded number of deliveries, and goes on', async () => {
    const { id } = await newWebhook(app, {}, headers)
    const [first] = await addDeliveries(app, id, [{ state: 'failed', message: 'the-first' }])
    const values = Array.from({ length: 500 }, (_, index) => ({
      ...{ endpoint: id, message: `m${index}`, type: 'user_created', state: 'delivered' as const },
      ...{ at: 1, due_at: 1, created_at: 1, finished_at: app.clock.now() },
    }))
    for (let count = 0; count < 20_000; count += values.length) {
      await app.deps.db.insertInto('webhook_deliveries').values(values).execute()
    }
    const path = `${webhooks}/${id}/deliveries?state=failed`
    const { body } = await call('GET', path)
    assert.deepEqual(body.data, [])
    const { body: next } = await call('GET', `${path}&cursor=${body.next}`)
    assert.deepEqual([next.data[0].id, next.next], [first, null])
    const repeated = await call('POST', `${webhooks}/${id}/repeat`, { state: 'delivered' })
    assert.equal(repeated.body.repeated, 10_000)
    const rest = { state: 'delivered', after: repeated.body.next }
    const last = await call('POST', `${webhooks}/${id}/repeat`, rest)
    assert.equal(last.body.repeated, 10_000)
    const end = { state: 'delivered', after: last.body.next }
    const none = await call('POST', `${webhooks}/${id}/repeat`, end)
    assert.deepEqual(none.body, { repeated: 0, next: null })
    await call('DELETE', `${webhooks}/${id}`)
  })

  test('10,000 webhooks are listed by pages, in the order in which they were made', async () => {
    const big = await testApp()
    const admin = await big.bearer(big.admin)
    const { dataKey } = await loadKeySet(big.deps)
    const made = Array.from({ length: 10_000 }, (_, index) => {
      const id = `webhook-${index}`
      const secrets = { url: `https://hooks.example.org/${index}`, secrets: [] }
      const plain = Buffer.from(JSON.stringify(secrets))
      return {
        ...{ id, sealed: seal(systemRandom, dataKey, `webhook endpoint ${id}`, plain) },
        ...{ events: '["user_deleted"]', content: 'ids' as const, state: 'enabled' as const },
        ...{ created_at: index, updated_at: index },
      }
    })
    for (let from = 0; from < made.length; from += 1000) {
      const rows = made.slice(from, from + 1000)
      await big.deps.db.insertInto('webhook_endpoints').values(rows).execute()
    }
    const page = async (query: string) =>
      (await big.call('GET', `${webhooks}?${query}`, { headers: admin })).body
    const seen: string[] = []
    for (let number = 1; number <= 10; number += 1) {
      const { data, total, limit } = await page(`limit=5000&page=${number}`)
      assert.deepEqual([total, limit, data.length], [10_000, 1000, 1000])
      for (const one of data) seen.push(one.id)
    }
    assert.deepEqual(
      seen,
      made.map(({ id }) => id),
    )
    assert.equal((await page('limit=1&page=10000')).data[0].url, 'https://hooks.example.org/9999')
    assert.deepEqual((await page('page=11&limit=1000')).data, [])
  })
})

suite('what an administrator does with the messages of webhooks', () => {
  test('a test is one message, also for an endpoint that gets all events', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const headers = app.basic(app.admin)
    const { id } = await setUp(app, receiver.url, ['*'])
    await app.call('POST', `${webhooks}/${id}/test`, { headers })
    await app.account('ann') // an event that comes after the one of the test
    await sendUntil(app, () => receiver.received.some(({ body }) => body.type === 'user_created'))
    const types = receiver.received.map(({ body }) => body.type)
    assert.deepEqual(types.toSorted(), ['user_created', 'webhook_test'])
    assert.equal(app.log.filter(({ event }) => event === 'webhook_tested').length, 1)
  })

  test('test, refusal, repetition, rotation, disabling and removal, with a receiver', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const headers = app.basic(app.admin)
    const { id, secret } = await setUp(app, receiver.url, ['user_created'])
    const call = (method: string, path: string, json?: unknown) =>
      app.call(method, `${webhooks}${path}`, { headers, ...(json !== undefined && { json }) })

    const { body: tested } = await call('POST', `/${id}/test`)
    await sendUntil(app, () => receiver.received.length === 1)
    const [message] = receiver.received
    assert.deepEqual(
      [message?.id, message?.body],
      [tested.message, { type: 'webhook_test', timestamp: tested.at, data: {} }],
    )

    receiver.answer = (_message, response) => void response.writeHead(503).end('\u001b[31mdown')
    await app.account('ann')
    await sendUntil(app, async () => (await deliveriesOf(app))[1]?.attempts === 1)
    const [, { id: waiting = 0 } = {}] = await deliveriesOf(app)
    const { body: shown } = await call('GET', `/deliveries/${waiting}`)
    assert.deepEqual(
      [shown.state, shown.attempts, shown.status, shown.detail, shown.answer],
      ['waiting', 1, 503, 'answered 503', '\u001b[31mdown'],
    )
    const printed = await gatehouse(app.directory, `webhook delivery ${waiting}`)
    assert.match(printed.stdout, /answer +\S*\[31mdown/)
    assert.ok(!printed.stdout.includes('\u001b'))
    const { body: failing } = await call('GET', `/${id}`)
    assert.equal(failing.health.status, 503)

    // Repeated at once, although it would wait, and signed by both secrets.
    receiver.answer = (_message, response) => void response.writeHead(204).end()
    await sendUntil(app, async () => {
      const rows = await app.deps.db.selectFrom('webhook_queues').selectAll().execute()
      return rows.every(({ locked_by }) => locked_by === null)
    })
    const { body: rotated } = await call('POST', `/${id}/secret`)
    assert.notEqual(rotated.secret, secret)
    const { body: again } = await call('POST', `/deliveries/${waiting}/repeat`)
    assert.deepEqual([again.state, again.attempts], ['waiting', 0])
    await sendUntil(app, () => receiver.received.length === 3)
    const [, first, second] = receiver.received
    assert.equal(first?.id, second?.id)
    assert.equal(String(second?.headers['webhook-signature']).split(' ').length, 2)
    await sendUntil(app, async () => (await deliveriesOf(app))[1]?.state === 'delivered')

    // Disabled: nothing is kept, sent or repeated; enabled again: what comes then is.
    await call('PUT', `/${id}`, { state: 'disabled' })
    await app.account('bob')
    await runJob(app, 'webhooks')
    assert.equal((await deliveriesOf(app)).length, 2)
    const before = await app.rows()
    for (const [path, json] of [
      [`/${id}/test`, undefined],
      [`/${id}/repeat`, {}],
      [`/deliveries/${waiting}/repeat`, undefined],
    ] as const) {
      assertRefusal(await call('POST', path, json), 409, 'Webhook is disabled', path)
    }
    assert.deepEqual(await app.rows(), before)
    await call('PUT', `/${id}`, { state: 'enabled' })
    await app.account('cid')
    await sendUntil(app, () => receiver.received.length === 4)

    // Removed with deliveries that wait: nothing is sent any more, and nothing is left.
    receiver.answer = (_message, response) => void response.writeHead(500).end()
    await app.account('dan')
    await sendUntil(app, () => receiver.received.length === 5)
    await addDeliveries(
      app,
      id,
      Array.from({ length: 120 }, () => ({})),
    )
    assert.equal((await call('DELETE', `/${id}`)).status, 200)
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['PUT', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/test`],
    ] as const) {
      const answer = await call(method, path, method === 'PUT' ? {} : undefined)
      assertRefusal(answer, 404, 'Webhook not found', path)
    }
    assert.equal((await call('GET', '')).body.total, 0)
    app.clock.advance(3600)
    await runJob(app, 'webhooks')
    assert.equal(receiver.received.length, 5)
    await runJob(app, 'removed webhooks')
    const { webhook_endpoints, webhook_deliveries, webhook_health, webhook_queues } =
      await app.rows()
    assert.deepEqual(
      [webhook_endpoints, webhook_deliveries, webhook_health, webhook_queues],
      [[], [], [], []],
    )
  })

  test('the command line does the same, and tells what is wrong', async () => {
    const app = await testApp()
    const run = (words: string) => gatehouse(app.directory, words, { clock: app.clock })
    const added = await run(`webhook add ${unheard} --events user_created,user_deleted --json`)
    assert.equal(added.code, 0, added.stderr)
    const { id, secret } = JSON.parse(added.stdout)
    assert.match(secret, /^whsec_/)
    const rotated = await run(`webhook secret ${id}`)
    assert.match(
      rotated.stdout,
      /^the webhook \S+ has a new secret; .*\n\n {2}secret {2}whsec_\S+ {3}\(shown once\)\n/,
    )
    assert.match((await run('webhook list')).stdout, /hooks\.example\.org/)
    assert.doesNotMatch((await run('webhook list --json')).stdout, /whsec_/)
    await addDeliveries(app, id, [{ state: 'failed' }, { state: 'failed' }, { state: 'delivered' }])
    const failed = JSON.parse((await run(`webhook deliveries ${id} --state failed --json`)).stdout)
    assert.equal(failed.length, 2)
    const repeated = await run(`webhook repeat --webhook ${id} --since 24h`)
    assert.equal(repeated.stderr, '')
    assert.equal(repeated.stdout, 'the running service sends 2 deliveries again\n')
    for (const [words, code, text] of [
      [`webhook add ${unheard}`, 2, /--events says which events are sent/],
      ['webhook add http://10.0.0.1/ --events *', 4, /url 10\.0\.0\.1 is a private address/],
      [`webhook add ${unheard} --events nonsense`, 4, /events\.0 chooses no event that there is/],
      [`webhook update ${id}`, 2, /nothing is given to change/],
      [`webhook change ${id} --content all`, 2, /--content is one of ids, full/],
      ['webhook enable none', 3, /Webhook not found/],
      ['webhook delivery 99', 3, /there is no such delivery/],
      ['webhook redeliver', 2, /either deliveries are given, or --webhook/],
      ['webhook repeat 1 --since 24h', 2, /need --webhook/],
      ['webhook deliveries --state sent', 2, /--state is one of/],
    ] as const) {
      const answer = await run(words)
      assert.equal(answer.code, code, `${words}: ${answer.stderr}`)
      assert.match(answer.stderr, text, words)
    }
  })
})
