import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { curlOf } from './browser/curl.js'
import { type ApiDocument, groupsOf, type Operation } from './document.ts'
import { exampleOf } from './example.ts'
import { referencePage } from './page.ts'

const files = { modules: ['/main.js'], style: '/reference.css' }
const page = (document: ApiDocument) => referencePage(document, files).main.toString()

function documentOf(operation: Operation, more: Partial<ApiDocument> = {}): ApiDocument {
  return {
    info: { title: 'Test' },
    servers: [{ url: 'https://auth.example.org/' }],
    paths: { '/things/{id}': { put: { operationId: 'putThing', ...operation } } },
    ...more,
  }
}

suite('the reference of an OpenAPI document', () => {
  test('groups come in the order of the tags, and /login comes first in its group', () => {
    const paths = Object.fromEntries(
      [
        ['/a', 'Users'],
        ['/b', 'Tokens'],
        ['/login', 'Sign in'],
        ['/c', 'Sign in'],
        ['/aa', 'Sign in'],
        ['/d', 'Not a tag'],
      ].map(([path = '', tag = '']) => [path, { get: { tags: [tag] } }]),
    )
    const shown = (more: Partial<ApiDocument>) =>
      groupsOf({ info: { title: '' }, paths, ...more }).map(({ name, operations }) => [
        name,
        operations.map(({ path }) => path).join(' '),
      ])
    const signIn = ['Sign in', '/login /c /aa']
    const tags = [
      { name: 'Tokens', description: 'Of tokens' },
      { name: 'Sign in' },
      { name: 'Users' },
    ]
    const others = [['Not a tag', '/d']]
    assert.deepEqual(shown({ tags }), [['Tokens', '/b'], signIn, ['Users', '/a'], ...others])
    assert.deepEqual(shown({}), [signIn, ...others, ['Tokens', '/b'], ['Users', '/a']])
  })

  test('the text before the operations has paragraphs, a list, code and strong words', () => {
    const description = [
      'Of **all** things, `a**b` and <i>.',
      '- `one` of\n  two\n- three - or **four**',
      'Not **ended.',
    ].join('\n\n')
    const shown = page(documentOf({}, { info: { title: 'Test', description } }))
    assert.ok(
      shown.includes('<p>Of <strong>all</strong> things, <code>a**b</code> and &lt;i&gt;.</p>'),
    )
    assert.match(
      shown,
      /<ul><li><code>one<\/code> of\s+two<\/li><li>three - or <strong>four<\/strong><\/li><\/ul>/,
    )
    assert.ok(shown.includes('<p>Not **ended.</p>'))
  })

  test('named schemas, unions and references are followed, also where they go in circles', () => {
    const components = {
      schemas: {
        Node: {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'integer', description: 'Its `id`' },
            next: { $ref: '#/components/schemas/Node' },
          },
        },
        Session: { type: 'object', properties: { csrf_token: { type: 'string' } } },
        'a/b': { const: 5 },
      },
      parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
      headers: { Tag: { description: 'What it was' } },
      responses: { Refused: { description: 'Refused for a reason' } },
    }
    const document = documentOf(
      {
        parameters: [{ $ref: '#/components/parameters/Page' }],
        responses: {
          200: {
            description: 'Success',
            headers: { ETag: { $ref: '#/components/headers/Tag' } },
            content: {
              'application/json': {
                schema: {
                  oneOf: [
                    { $ref: '#/components/schemas/Node' },
                    { $ref: '#/components/schemas/Session' },
                  ],
                },
              },
            },
          },
          404: { $ref: '#/components/responses/Refused' },
        },
      },
      { components },
    )
    const text = page(document)
    for (const part of [
      '>page<',
      'What it was',
      'next.next.id',
      'csrf_token',
      'Refused for a reason',
    ]) {
      assert.ok(text.includes(part), part)
    }
    assert.ok(text.includes('Its <code>id</code>'))
    const example = (schema: object) => exampleOf(document, { schema })
    assert.equal(example({ $ref: '#/components/schemas/a~1b' }), 5)
    assert.equal(example({ $ref: '#/components/schemas/Nothing' }), 'text')
    assert.equal((example({ $ref: '#/components/schemas/Node' }) as { id: number }).id, 1)
    assert.deepEqual(
      example({
        allOf: [{ properties: { a: { enum: ['x'] } } }, { properties: { b: { type: 'array' } } }],
      }),
      { a: 'x', b: [] },
    )
    assert.equal(exampleOf(document, { example: 'given', schema: { const: 1 } }), 'given')
    assert.equal(exampleOf(document, { examples: { a: { value: 'named' } } }), 'named')
  })

  test('no text of the document is HTML', () => {
    const evil = `"><img src=x onerror='alert(1)'>`
    const text = page({
      info: { title: evil, description: evil },
      servers: [{ url: evil }],
      tags: [{ name: evil, description: evil }],
      paths: {
        [`/${evil}`]: {
          post: {
            operationId: evil,
            summary: `\`${evil}\``,
            description: evil,
            tags: [evil],
            parameters: [{ name: evil, in: 'query', description: evil, schema: { enum: [evil] } }],
            security: [{ [evil]: [] }],
            requestBody: {
              description: evil,
              content: {
                [evil]: { examples: { [evil]: { value: evil } }, schema: { type: evil } },
              },
            },
            responses: { 200: { description: evil, headers: { [evil]: { description: evil } } } },
          },
        },
      },
    })
    assert.doesNotMatch(text, /<img|onerror='/)
    assert.ok(text.split('&lt;img').length > 15)
  })

  test('the command has the credential that suits a program, as a variable', () => {
    const securitySchemes = {
      basic: { type: 'http', scheme: 'basic' },
      session: { type: 'apiKey', in: 'cookie', name: 'SID' },
      bearer: { type: 'http', scheme: 'bearer' },
      'x-key': { type: 'apiKey', in: 'header', name: 'X-Key' },
    }
    const url = `'https://auth.example.org/things/`
    const commandOf = (...names: string[]) => {
      const security = names.map((name) => ({ [name]: [] }))
      const text = page(documentOf({ security }, { components: { securitySchemes } }))
      return (/<pre class="curl"[^>]*>([^<]*)</.exec(text)?.[1] ?? '').replaceAll(
        /\s*\\\n\s*/g,
        ' ',
      )
    }
    const begin = `curl -X PUT ${url}id'`.replaceAll("'", '&#39;')
    const shown = (rest: string) => `${begin}${rest.replaceAll('"', '&quot;')}`
    assert.equal(
      commandOf('basic', 'session', 'bearer'),
      shown(' -H "Authorization: Bearer $TOKEN"'),
    )
    assert.equal(commandOf('basic'), shown(' -u "$USERNAME:$PASSWORD"'))
    assert.equal(commandOf('x-key'), shown(' -H "X-Key: $KEY"'))
    assert.equal(commandOf('session'), shown(' -b "SID=$SESSION" -H "X-CSRF-Token: $CSRF_TOKEN"'))
    assert.equal(commandOf(), begin)
  })
})

suite('commands for curl', () => {
  const base = {
    method: 'GET',
    url: 'http://a/',
    headers: [],
    contentType: null,
    body: '',
  } as const
  const none = { credential: { kind: 'none' } } as const

  test('a shell passes every text on as it is', () => {
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), 200)
    const nasty = [`'`, `'; touch /tmp/x; '`, '$(id)', '`id`', '"$HOME"', '\\', '!!', '@file', '\n']
    const values = [...texts, ...nasty].map((text) => text.toWellFormed().replaceAll('\0', ''))
    const commands = values.flatMap((text) => [
      curlOf({ ...base, ...none, method: 'PUT', contentType: 'text/plain', body: text }),
      curlOf({ ...base, ...none, method: 'POST', contentType: 'a/b', body: [['na=me', text]] }),
      curlOf({ ...base, ...none, url: `http://a/?${text}`, headers: [['X-A', text]] }),
    ])
    const script = `curl() { for part; do printf '%s\\0' "$part"; done; }\n${commands.join('\n')}\n`
    const seen = execFileSync('sh', ['-s'], { input: script }).toString().split('\0')
    const wanted = values.flatMap((text) => [
      ...['-X', 'PUT', 'http://a/', '-H', 'Content-Type: text/plain', '--data-raw', text],
      ...['http://a/', '--data-urlencode', `na%3Dme=${text}`],
      ...[`http://a/?${text}`, '-H', `X-A: ${text.replace(/[\r\n]+/g, ' ')}`],
    ])
    assert.deepEqual(seen.slice(0, -1), wanted)
  })

  test('the method is named where curl would take another', () => {
    const first = (command: string) => command.split(' \\\n')[0]
    const withBody = { contentType: 'application/json', body: '{}' }
    assert.equal(first(curlOf({ ...base, ...none })), "curl 'http://a/'")
    assert.equal(
      first(curlOf({ ...base, ...none, ...withBody, method: 'POST' })),
      "curl 'http://a/'",
    )
    assert.equal(first(curlOf({ ...base, ...none, method: 'POST' })), 'curl -X POST')
    assert.equal(first(curlOf({ ...base, ...none, method: 'DELETE' })), 'curl -X DELETE')
  })
})
