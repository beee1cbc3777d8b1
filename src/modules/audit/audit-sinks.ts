import { readFileSync } from 'node:fs'
import { isAbsolute, normalize } from 'node:path'
import { Secret } from '../../core/crypto/secret.ts'

export type AuditSink =
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  | {
      readonly kind: 'udp' | 'tcp' | 'tls'
      readonly name: string
      readonly host: string
      readonly port: number
      /** PEM: CA of the server; certificate and key of this client. */
      readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: Secret }
    }

const kinds = {
  'syslog:': { kind: 'udp', port: 514 },
  'syslog+tcp:': { kind: 'tcp', port: 601 },
  'syslog+tls:': { kind: 'tls', port: 6514 },
} as const

const forms =
  '`file:/path`, `syslog://host:port` (UDP), `syslog+tcp://host:port` or `syslog+tls://host:port`'

/** Default ports: 514 (RFC 5426), 601 (RFC 6587), 6514 (RFC 5425). @throws Error */
export function parseAuditSink(text: string): AuditSink {
  if (/^file:/i.test(text)) return parseFile(text)
  const fail = (what: string): never => {
    throw new Error(`has ${text}, ${what}`)
  }
  const url = URL.parse(text) ?? fail(`which is no address: ${forms}`)
  const scheme = kinds[url.protocol as keyof typeof kinds]
  if (!scheme) return fail(`whose kind ${url.protocol} is none of ${forms}`)
  if (!/^[a-z+]+:\/\//i.test(text) || url.hostname === '') fail(`which names no host: ${forms}`)
  if (url.username || url.password)
    fail('with a username or a password, which syslog does not have')
  if (url.pathname !== '' && url.pathname !== '/') fail('with a path, which syslog does not have')
  if (url.hash) fail('with a fragment, which it does not have')
  if (url.port === '0') fail('whose port is 0')
  const port = url.port === '' ? scheme.port : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const { kind } = scheme
  return {
    kind,
    name: `${url.protocol}//${url.hostname}:${port}`,
    host,
    port,
    tls: tlsOf(url.searchParams, { kind, fail }),
  }
}

function parseFile(text: string): AuditSink {
  const path = text.replace(/^file:(?:\/\/)?/i, '')
  if (!isAbsolute(path))
    throw new Error(`has ${text}, which must name a file from the root: file:/path`)
  if (path.endsWith('/')) throw new Error(`has ${text}, which names a folder and no file`)
  return { kind: 'file', name: `file:${normalize(path)}`, path: normalize(path) }
}

const tlsParameters = ['ca', 'cert', 'key'] as const

function tlsOf(
  parameters: URLSearchParams,
  { kind, fail }: { readonly kind: string; readonly fail: (what: string) => never },
) {
  const tls: { ca?: string; cert?: string; key?: Secret } = {}
  for (const [name, file] of parameters) {
    const known = tlsParameters.find((parameter) => parameter === name)
    if (!known) return fail(`whose parameter ${name} is none of ${tlsParameters.join(', ')}`)
    if (kind !== 'tls') return fail(`whose parameter ${name} is for syslog+tls alone`)
    try {
      const text = readFileSync(file, 'utf8')
      if (known === 'key') tls.key = new Secret(text)
      else tls[known] = text
    } catch {
      return fail(`whose file of ${name} cannot be read: ${file}`)
    }
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    fail('which must name both cert and key, or none of them')
  }
  return tls
}

export function auditSinkMistakes(sinks: readonly AuditSink[], ownFile: string): string[] {
  const names = sinks.map(({ name }) => name)
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  const own = sinks.some((sink) => sink.kind === 'file' && sink.path === ownFile)
  return [
    ...[...twice].map((name) => `AUDIT_SINKS holds ${name} twice`),
    ...(own ? [`AUDIT_SINKS must not hold ${ownFile}, to which checkpoints go in any case`] : []),
  ]
}
