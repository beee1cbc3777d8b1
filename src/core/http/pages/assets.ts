import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { ApiError } from '../../errors.ts'
import { anyone } from '../../policy/rules.ts'
import { securityHeaders } from '../headers.ts'
import { varyBy } from './negotiation.ts'

/** Static files under a URL that changes with the content. */
export interface Assets {
  /** Reads the files at the first call. */
  address(name: string): string
  /** Public routes. */
  routes(app: FastifyInstance): void
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
} as const

/** Name to location or content. `x.js.br` and `x.js.gz` are compressed versions of `x.js`. */
type Files = Readonly<Record<string, URL | Buffer>>

// A picture opened directly is a document: no scripts, opaque origin.
const policiesOfForeign = [securityHeaders['content-security-policy'], "sandbox; script-src 'none'"]

interface Read {
  readonly version: string
  readonly contents: ReadonlyMap<string, Buffer>
}

/** Smallest first. RFC 9110 section 8.4.1. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const
// Longer than any browser's.
const maxAcceptLength = 1024

interface AssetOptions {
  /** Third-party files. */
  readonly areForeign?: boolean
  /** Allowed path prefixes. */
  readonly prefixes?: readonly string[]
}

/**
 * Serves `<prefix>/<version>/<name>`. The version is a digest of all files: browsers cache forever,
 * and relative URLs work. Other versions (before or after an update) get the current files with an
 * ETag. RFC 9111 section 5.2.2.4, RFC 8246. Compression is safe: no secrets, no request data.
 */
export function createAssets(
  prefix: string,
  files: () => Files,
  { areForeign = false, prefixes = [''] }: AssetOptions = {},
): Assets {
  let known: Read | undefined
  const read = () => {
    known ??= readAll(files())
    return known
  }
  return {
    address: (name) => `${prefix}/${read().version}/${name}`,

    routes(app) {
      for (const at of prefixes) {
        app.get<{ Params: { version: string; file: string } }>(
          `${at}${prefix}/:version/:file`,
          { config: { access: { rule: anyone } }, schema: { hide: true } },
          async (request, reply) => {
            const { params, headers } = request
            const { version, contents } = read()
            const content = contents.get(params.file)
            const type = types[params.file.split('.').at(-1) as keyof typeof types] // known files
            if (!content || !type) {
              throw new ApiError('routeNotFound', { reason: { code: 'unknown_asset' } })
            }
            const encoded = encodedFor(request, reply, contents)
            const tag = `"${version}${encoded ? `-${encoded.encoding}` : ''}"`
            reply.header('etag', tag)
            if (areForeign) reply.header('content-security-policy', policiesOfForeign)
            reply.header(
              'cache-control',
              params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache',
            )
            if (headers['if-none-match'] === tag) return reply.status(304).send()
            if (encoded) reply.header('content-encoding', encoded.encoding)
            return reply.type(type).send(encoded?.content ?? content)
          },
        )
      }
    },
  }
}

/** Null: send the file uncompressed. */
function encodedFor(
  { headers, params }: FastifyRequest<{ Params: { version: string; file: string } }>,
  reply: FastifyReply,
  contents: Read['contents'],
): { encoding: string; content: Buffer } | null {
  const known = encodings.flatMap(([encoding, ending]) => {
    const content = contents.get(params.file + ending)
    return content ? [{ encoding, content }] : []
  })
  if (known.length === 0) return null
  varyBy(reply, 'Accept-Encoding')
  if (String(headers['accept-encoding'] ?? '').length > maxAcceptLength) return null
  const taken = new Negotiator({ headers }).encodings(known.map(({ encoding }) => encoding))
  return known.find(({ encoding }) => taken.includes(encoding)) ?? null
}

function readAll(files: Files): Read {
  const contents = new Map(
    Object.entries(files).map(([name, file]) => [
      name,
      file instanceof URL ? readFileSync(file) : file,
    ]),
  )
  const hash = createHash('sha256')
  for (const [name, content] of contents) {
    if (encodings.some(([, ending]) => name.endsWith(ending))) continue // compressed version
    hash.update(`${name} ${content.length} `).update(content)
  }
  return { version: hash.digest('base64url').slice(0, 16), contents }
}
