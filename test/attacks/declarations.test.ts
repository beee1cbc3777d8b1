import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../src/core/database/transactions.ts'
import { tagged } from '../../src/core/http/changes/entity-tag.ts'
import { resource } from '../../src/core/http/changes/resource.ts'
import { access, authorize } from '../../src/core/http/routes/access.ts'
import type { Authenticator } from '../../src/core/http/routes/declaration.ts'
import { assertRecentLogin } from '../../src/core/http/routes/reauthentication.ts'
import { createServer } from '../../src/core/http/server/server.ts'
import type { Principal } from '../../src/core/policy/principal.ts'
import { anyone, authenticated, owner } from '../../src/core/policy/rules.ts'
import { postNotFound } from '../../src/modules/posts/problems.ts'
import { testApp } from '../app.ts'

interface Thing {
  readonly id: number
  readonly ownerId: string
}

const internal = [500, { error: 'Internal server error' }]

suite('what a route declares', async () => {
  const app = await testApp({ RATE_LIMIT_MAX: '1000' })
  const { deps } = app
  let loads: string[] = []
  const thing = resource<Thing>({
    param: 'id',
    missing: postNotFound,
    async load(text) {
      loads.push(text)
      return text === '7' ? { id: 7, ownerId: '1' } : text === '8' ? { id: 8, ownerId: '2' } : null
    },
    facts: (found) => ({ ownerId: found?.ownerId ?? null }),
  })
  const other = resource<Thing>({ ...thing })
  const principal: Principal = {
    subject: '1',
    username: 'ann',
    roles: new Set(),
    credential: { scheme: 'basic' },
    amr: ['pwd'],
    authTime: 0,
  }
  const authenticator: Authenticator = {
    scheme: 'basic',
    header: 'basic',
    missing: 'authenticationRequired',
    describes: { type: 'http', scheme: 'basic' },
    async authenticate({ headers }) {
      if (headers.authorization === undefined) return null
      return { principal, lockNames: () => [], revalidate: async () => principal }
    },
  }

  async function serve(declare: (server: FastifyInstance) => void): Promise<FastifyInstance> {
    const server = await createServer(deps)
    await server.register(access, { ...deps, authenticators: [authenticator] })
    declare(server)
    return server
  }

  const authorization = 'Basic eDp5'
  const json = { 'content-type': 'application/json' }

  test('a mistake in it stops the start, and names the route', async () => {
    const handler = async () => ({})
    const declared = { access: { rule: authenticated } }
    await assert.rejects(
      serve((server) => server.get('/silent', handler)),
      { message: 'GET /silent declares no access' },
    )
    await assert.rejects(
      serve((server) => server.post('/open', { config: { access: { rule: anyone } } }, handler)),
      { message: 'POST /open can be called by anyone, and declares no CSRF guard' },
    )
    await assert.rejects(
      serve((server) => {
        const config = { ...declared, csrf: 'exempt', rateLimit: 'exempt' } as const
        server.put('/two/mistakes', { config }, handler)
      }),
      {
        message:
          'PUT /two/mistakes has callers whose credentials say what their CSRF guard is; ' +
          'changes something, and is exempt from the rate limit',
      },
    )
  })

  test('a schema that is not one ends the start, and names the route', async () => {
    const declare = (type: string) => (server: FastifyInstance) => {
      const config = { access: { rule: authenticated } }
      const schema = { querystring: { type: 'object', properties: { day: { type } } } }
      server.get('/days', { config, schema }, async () => ({}))
    }
    const wrong = await serve(declare('date'))
    await wrong.ready()
    await assert.rejects(wrong.compileSchemas(), {
      message: 'a schema of GET /days cannot be compiled',
    })
    await wrong.close()
    const right = await serve(declare('string'))
    await right.ready()
    await right.compileSchemas()
    await right.close()
  })

  test('the service ends by a schema that no request has needed', () => {
    const src = join(import.meta.dirname, '../../src')
    const program = `
      import { start } from '${src}/start.ts'
      import { modules } from '${src}/modules.ts'
      const config = { access: { rule: { kind: 'authenticated' } } }
      const routes = async (app) =>
        app.get('/days', { config, schema: { querystring: { type: 'date' } } }, async () => ({}))
      await start(process.env, [...modules, { name: 'days', routes: async () => ({ routes }) }])`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env: {
        ...process.env,
        PORT: '0',
        DATA_DIR: join(app.directory, 'days'),
        LOG_LEVEL: 'silent',
      },
      encoding: 'utf8',
      timeout: 120_000,
    })
    assert.match(
      stderr,
      /^Gatehouse cannot start: a schema of GET \/days cannot be compiled: schema is invalid/,
    )
    assert.equal(status, 1)
  })

  test('the rule of the group counts: below /api/admin nothing is open to anyone', async () => {
    const post = (url: string, csrf?: 'exempt') =>
      serve((server) => {
        const config = { access: { rule: anyone }, ...(csrf && { csrf }) }
        server.post(url, { config }, async () => ({}))
      })
    await (await post('/api/admin/things')).close()
    await assert.rejects(post('/api/admin/things', 'exempt'), {
      message: 'POST /api/admin/things has callers whose credentials say what their CSRF guard is',
    })
  })

  test('a resource is read once: behind 401, before 403, 404 and the body', async () => {
    const server = await serve((made) => {
      made.put(
        '/things/:id',
        {
          config: { access: { rule: owner }, resource: thing, body: 'json' },
          schema: { body: { type: 'object', required: ['name'] } },
        },
        async (request, reply) => {
          await transact(deps.db, [], async () => {}, request.guard ?? undefined)
          return tagged(reply, thing.of(request))
        },
      )
    })
    const put = async (id: string, payload: string, headers = {}) => {
      loads = []
      let hasBody = false
      async function* body() {
        hasBody = true
        yield payload
      }
      const answer = await server.inject({
        method: 'PUT',
        url: `/things/${id}`,
        headers: { ...json, ...headers },
        payload: Readable.from(body()),
      })
      return { status: answer.statusCode, loads, hasBody }
    }
    const by = { authorization }
    assert.deepEqual(await put('7', '{'), { status: 401, loads: [], hasBody: false })
    for (const [id, payload, status] of [
      ['8', '{', 403],
      ['9', '{', 403],
      ['7', '{', 400],
      ['7', '{}', 400],
      ['7', '{"name":"x"}', 200],
    ] as const) {
      const answer = await put(id, payload, by)
      assert.deepEqual([answer.status, answer.loads], [status, [id]], `${id} ${payload}`)
    }
    await server.close()
  })

  const mistaken: Record<string, (server: FastifyInstance) => void> = {
    'a handler that takes another resource than the one declared': (server) =>
      server.get(
        '/things/:id',
        { config: { access: { rule: owner }, resource: thing } },
        async (request) => other.of(request),
      ),
    'a handler that takes a resource where none is declared': (server) =>
      server.get('/things/:id', { config: { access: { rule: authenticated } } }, async (request) =>
        thing.of(request),
      ),
    'a handler that asks a rule about a resource where none is declared': (server) =>
      server.get('/things/:id', { config: { access: { rule: authenticated } } }, async (request) =>
        authorize(request, { ownerId: '1' }),
      ),
    'a handler that asks for a recent login where none is declared': (server) =>
      server.get('/things/:id', { config: { access: { rule: authenticated } } }, async (request) =>
        assertRecentLogin(request, deps.config, deps.clock),
      ),
    'a handler that goes by an If-Match that is not declared': (server) =>
      server.put(
        '/things/:id',
        { config: { access: { rule: owner }, resource: thing } },
        async (request) => thing.changeBy(request),
      ),
    'a change that ignores an If-Match which is declared': (server) =>
      server.put(
        '/things/:id',
        { config: { access: { rule: owner }, resource: thing, requestHeaders: ['if-match'] } },
        async (request) => {
          await transact(deps.db, [], async () => {}, request.guard ?? undefined)
          return { message: 'done' }
        },
      ),
  }
  for (const [what, declare] of Object.entries(mistaken)) {
    test(`${what} is a 500`, async () => {
      const server = await serve(declare)
      const method = what.includes('If-Match') ? 'PUT' : 'GET'
      const headers = { authorization, 'if-match': '"x"' }
      const answer = await server.inject({ method, url: '/things/7', headers })
      assert.deepEqual([answer.statusCode, answer.json()], internal)
      await server.close()
    })
  }

  test('a success that never asked the rule is a 500', async () => {
    const server = await createServer(deps)
    server.addHook('onRequest', async (_request, reply) => reply.send({ message: 'too early' }))
    await server.register(access, { ...deps, authenticators: [authenticator] })
    const config = { access: { rule: owner }, resource: thing }
    server.get('/things/:id', { config }, async (request) => thing.of(request))
    const answer = await server.inject({ url: '/things/7', headers: { authorization } })
    assert.deepEqual([answer.statusCode, answer.json()], internal)
    await server.close()
  })

  test('a recent login is asked for before the resource is looked for', async () => {
    const server = await serve((made) =>
      made.get(
        '/things/:id',
        {
          config: { access: { rule: authenticated }, resource: thing, reauthentication: 'always' },
        },
        async (request) => thing.of(request),
      ),
    )
    loads = []
    const answer = await server.inject({ url: '/things/9', headers: { authorization } })
    assert.deepEqual(
      [answer.statusCode, answer.json(), loads],
      [401, { error: 'Recent login required' }, []],
    )
    await server.close()
  })
})
