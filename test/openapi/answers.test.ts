import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, suite, test } from 'node:test'
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { anyone } from '../../src/core/policy/rules.ts'
import { takeMistakes } from './answers.ts'
import { type ApiDocument, describeBy } from './operations.ts'

const root = join(import.meta.dirname, '../..')
const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
const error = { type: 'object', required: ['error'], properties: { error: { type: 'string' } } }
const invalid = {
  ...error,
  required: ['error', 'details'],
  properties: { ...error.properties, details: { type: 'array' } },
}
const schemas = { Error: error, ValidationError: invalid }
const shapes = {
  item,
  list: { type: 'array', items: item },
  either: {
    anyOf: [item, { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }],
  },
  extended: {
    allOf: [
      item,
      { type: 'object', required: ['more'], properties: { more: { type: 'boolean' } } },
    ],
  },
  open: { type: 'object', additionalProperties: true },
  nothing: { type: 'object' },
  parts: { type: 'array', items: item },
  time: { type: 'string', format: 'date-time' },
}
type Shape = keyof typeof shapes

/** What is sent, in place of an answer that fits. */
interface Sent {
  readonly status?: number
  readonly type?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

suite('an answer and its document', async () => {
  let sent: Sent = {}
  const app = await serverOf((reply) => {
    const { status = 200, type = 'application/json', headers = {}, body } = sent
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return reply
      .status(status)
      .headers({ 'content-type': type, 'x-total-count': '3', ...headers })
      .serializer(String)
      .send(text)
  })

  async function mistakesIn(shape: Shape | 'none' | 'hidden', answer: Sent, method = 'GET') {
    sent = answer
    await app.inject({ method: method as 'GET', url: `/${shape}/7` })
    return takeMistakes()
  }
  const of = (shape: Shape | 'none', ...mistakes: string[]) =>
    mistakes.map((mistake) => `GET /${shape}/{id} ${mistake}`)

  for (const [shape, body] of [
    ['item', { id: 1 }],
    ['list', [{ id: 1 }, { id: 2 }]],
    ['either', { id: 1 }],
    ['either', { name: 'x' }],
    ['extended', { id: 1, more: true }],
    ['open', { anything: 1 }],
    ['nothing', {}],
  ] as const) {
    test(`fits: ${JSON.stringify(body)} as ${shape}`, async () => {
      assert.deepEqual(await mistakesIn(shape, { body }), [])
      assert.deepEqual(await mistakesIn(shape, { body }), [], 'the second one, which is known')
    })
  }

  const unnamed = (property: string) => `must NOT have unevaluated properties (${property})`
  for (const [shape, body, ...mistakes] of [
    ['item', { id: '1' }, '/id: must be integer'],
    ['item', {}, ": must have required property 'id'"],
    ['item', { id: 1, secret: 'x' }, `: ${unnamed('secret')}`],
    [
      'list',
      [{ id: 1 }, { id: 2, secret: 'x' }, { id: 3, secret: 'x' }],
      `/*: ${unnamed('secret')}`,
    ],
    ['extended', { id: 1, more: true, secret: 'x' }, `: ${unnamed('secret')}`],
    ['nothing', { secret: 'x' }, `: ${unnamed('secret')}`],
    ['time', '"yesterday"', ': must match format "date-time"'],
  ] as const) {
    test(`does not fit: ${JSON.stringify(body)} as ${shape}`, async () => {
      const expected = of(shape, ...mistakes.map((mistake) => `200: body ${mistake}`))
      assert.deepEqual(await mistakesIn(shape, { body }), expected)
      assert.deepEqual(await mistakesIn(shape, { body }), expected, 'again')
    })
  }

  test('a status, a media type or a body that the operation does not have', async () => {
    const right = { id: 1 }
    for (const [answer, mistake] of [
      [{ status: 202, body: right }, '202: the status is not documented'],
      [{ type: 'text/plain', body: 'x' }, '200: media type text/plain is not documented'],
      [{ body: '' }, '200: there is no body'],
      [{ body: '{' }, "200: SyntaxError: Expected property name or '}' in JSON at position 1"],
    ] as const) {
      const [found = ''] = await mistakesIn('item', answer)
      assert.ok(found.startsWith(`GET /item/{id} ${mistake}`), found)
    }
    const body = await mistakesIn('none', { body: right })
    assert.deepEqual(body, of('none', '200: a body is not documented'))
    assert.deepEqual(await mistakesIn('none', { body: '' }), [])
  })

  test('an error is one of those of its status, or else of all operations', async () => {
    const refusal = (status: number, text: string) =>
      mistakesIn('item', { status, body: { error: text } })
    assert.deepEqual(await refusal(404, 'Not any more'), [])
    assert.deepEqual(await refusal(500, 'Anything else'), [])
    for (const [status, text] of [
      [404, 'Anything else'],
      [500, 'Not here'],
    ] as const) {
      const mistake = `${status}: the error "${text}" is not documented`
      assert.deepEqual(await refusal(status, text), of('item', mistake))
    }
  })

  test('headers: one that is missing, one that is wrong, one that the document lacks', async () => {
    const body = { id: 1 }
    const wrong = await mistakesIn('item', { body, headers: { 'x-total-count': 'many' } })
    assert.deepEqual(wrong, of('item', '200: header x-total-count : must be integer'))
    const lacked = await mistakesIn('item', { body, headers: { etag: '"1"' } })
    assert.deepEqual(lacked, of('item', '200: header etag is not documented'))
    const missing = await mistakesIn('item', { status: 201, body })
    assert.deepEqual(missing, of('item', '201: header location is missing'))
  })

  test('HEAD is its GET without a body', async () => {
    assert.deepEqual(await mistakesIn('item', { body: { id: '1' } }, 'HEAD'), [])
    const mistakes = await mistakesIn('item', { status: 202, body: {} }, 'HEAD')
    assert.deepEqual(mistakes, of('item', '202: the status is not documented'))
  })

  test('a route that the document leaves out, and no route: an error is an error there too', async () => {
    assert.deepEqual(await mistakesIn('hidden', { status: 404, body: { error: 'None' } }), [])
    const [mistake] = await mistakesIn('hidden', { status: 404, body: { error: 4 } })
    assert.equal(mistake, 'GET /hidden/{id} 404: body /error: must be string')
    const refused = { error: 'None', details: [] }
    assert.deepEqual(await mistakesIn('hidden', { status: 400, body: refused }), [])
    const [wrong] = await mistakesIn('hidden', { status: 400, body: { ...refused, details: '' } })
    assert.equal(wrong, 'GET /hidden/{id} 400: body /details: must be array')
    await app.inject('/no/such/route')
    assert.deepEqual(takeMistakes(), [
      'GET of no route 404: body : must NOT have unevaluated properties (message)',
      'GET of no route 404: body : must NOT have unevaluated properties (statusCode)',
    ])
  })

  test('over a socket, in parts, and longer than is kept', async () => {
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const get = async (path: string) => (await fetch(url + path)).text()
    await get('/parts/2')
    assert.deepEqual(takeMistakes(), [])
    await get('/parts/x')
    assert.deepEqual(takeMistakes(), ['GET /parts/{id} 200: body /*/id: must be integer'])
    await get('/parts/100000')
    assert.deepEqual(takeMistakes(), [])
  })

  test('a mistake fails the test that made the request, and names operation and status', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-answers-'))
    after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'one.test.ts')
    writeFileSync(
      file,
      `import { test } from 'node:test'
       import fastify from '${root}/node_modules/fastify/fastify.js'
       import '${root}/test/app.ts'
       import { describeBy } from '${root}/test/openapi/operations.ts'
       const app = fastify()
       const responses = { 200: {} }
       describeBy(app, { paths: { '/a/{status}': { get: { responses } } } })
       const config = { access: {} }
       app.get('/a/:status', { config }, ({ params }, reply) => reply.status(params.status).send())
       test('is well', () => app.inject('/a/200'))
       test('is not', () => app.inject('/a/418'))
       test('is well again', () => app.inject('/a/200'))`,
    )
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-isolation=none', file], {
      cwd: root,
      env: { ...process.env, TEST_DATABASE: 'sqlite', NODE_TEST_CONTEXT: undefined },
      encoding: 'utf8',
    })
    assert.match(stdout, /✖ is not [\s\S]*OpenAPI.*\n *GET \/a\/\{status\} 418: .* not documented/)
    assert.match(stdout, /pass 2\n.*fail 1\n/)
  })
})

/** A server whose operations answer what a test wants, and whose document says what they should. */
async function serverOf(answer: (reply: FastifyReply) => FastifyReply): Promise<FastifyInstance> {
  const app = fastify()
  const document = { paths: pathsOf(), components: { schemas } }
  describeBy(app, document as unknown as ApiDocument) // as much of it as is read
  const config = { access: { rule: anyone } }
  for (const shape of [...Object.keys(shapes), 'none', 'hidden']) {
    if (shape === 'parts') continue
    const schema = shape === 'hidden' ? { hide: true } : {}
    app.get(`/${shape}/:id`, { config, schema }, (_request, reply) => answer(reply))
  }
  app.get<{ Params: { id: string } }>('/parts/:id', { config }, ({ params }, reply) => {
    const count = Number(params.id)
    const parts = Number.isNaN(count)
      ? ['[{"id":1},', '{"id":"x"}', ']']
      : ['[', '{"id":1},'.repeat(count), '{"id":1}', ']']
    return reply.type('application/json').header('x-total-count', 1).send(Readable.from(parts))
  })
  after(() => app.close())
  return app
}

function pathsOf() {
  const headers = { 'X-Total-Count': { required: true, schema: { type: 'integer' } } }
  const created = { ...headers, Location: { required: true, schema: { type: 'string' } } }
  const refused = (...errors: string[]) => ({
    headers,
    content: {
      'application/json': {
        schema: error,
        examples: Object.fromEntries(errors.map((text) => [text, { value: { error: text } }])),
      },
    },
  })
  const pathOf = ([shape, schema]: readonly [string, object | undefined]) => {
    const content = schema && { content: { 'application/json': { schema } } }
    const responses = {
      200: { headers, ...content },
      201: { headers: created, ...content },
      404: refused('Not here', 'Not any more'),
      default: refused('Anything else'),
    }
    return [`/${shape}/{id}`, { get: { responses } }]
  }
  return Object.fromEntries([...Object.entries(shapes), ['none', undefined] as const].map(pathOf))
}
