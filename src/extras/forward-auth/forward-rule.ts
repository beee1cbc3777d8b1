import { isIP } from 'node:net'
import { parseAddressRange, rangeText } from '../../core/addresses/address-ranges.ts'
import { http } from '../../core/lib/node-http.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { parseRole, parseRoleName, type Role } from '../../core/policy/principal.ts'

const forwardPolicies = ['bypass', 'one_factor', 'two_factor', 'deny'] as const
export type ForwardPolicy = (typeof forwardPolicies)[number]

/** Matches if all lists match; null matches anything. */
export interface ForwardRule {
  /** Position in the file, from 1. */
  readonly number: number
  /** In browser spelling, without the default port; `*.` matches subdomains. */
  readonly hosts: readonly string[]
  /** In browser spelling; `/*` at the end also matches everything below. */
  readonly paths: readonly string[] | null
  /** Without HEAD, which counts as GET. */
  readonly methods: readonly string[] | null
  /** Addresses and CIDR ranges of visitors. */
  readonly networks: readonly string[] | null
  readonly roles: readonly Role[] | null
  /** Usernames. */
  readonly users: readonly string[] | null
  readonly policy: ForwardPolicy
  /** Basic carries an app password for programs that know no other way. */
  readonly acceptsAppPasswords?: true
}

const maxEntries = 10_000
const maxHostLength = 261 // 253 of a name, a colon and a port, and `*.`
const maxPathLength = 2048
const fields = [
  ...['hosts', 'paths', 'methods', 'networks', 'roles', 'users', 'policy', 'app_passwords'],
]

/** Each mistake continues a sentence that begins with the rule's number. */
export function parseForwardRule(
  entry: unknown,
  number: number,
  roles: readonly Role[] | null,
): { readonly rule: ForwardRule; readonly mistakes: readonly string[] } {
  const given = isObject(entry) ? entry : {}
  const mistakes: string[] = isObject(entry) ? [] : ['must be an object']
  const list = (name: string, mistakeIn: (item: string) => string | null): string[] | null => {
    const value = given[name]
    if (value === undefined) return null
    const items = listOf(value)
    if (items === null) {
      mistakes.push(`must have a list "${name}" of 1 to ${maxEntries} texts`)
      return []
    }
    for (const item of new Set(items)) {
      const mistake = mistakeIn(item)
      if (mistake !== null) mistakes.push(mistake)
    }
    const twice = new Set(items.filter((item, index) => items.indexOf(item) !== index))
    for (const item of twice) mistakes.push(`has ${quoted(item)} twice in "${name}"`)
    return items
  }
  for (const name of Object.keys(given)) {
    if (!fields.includes(name)) mistakes.push(`has an unknown field ${quoted(name)}`)
  }
  const hosts = list('hosts', hostMistake)
  if (hosts === null && isObject(entry)) mistakes.push('must have a list "hosts"')
  const paths = list('paths', pathMistake)
  const methods = list('methods', methodMistake)
  const networks = list('networks', networkMistake)
  const names = list('roles', (item) => roleMistake(item, roles))
  const users = list('users', userMistake)
  const policy = forwardPolicies.find((one) => one === given.policy)
  if (policy === undefined && isObject(entry)) {
    mistakes.push(`must have a "policy": one of ${forwardPolicies.join(', ')}`)
  }
  for (const [what, given] of Object.entries({ roles: names, users })) {
    if (policy !== 'bypass' || given === null) continue
    mistakes.push(`has ${what} and the policy bypass, which does not ask who it is`)
  }
  if (methods?.includes('HEAD') && !methods.includes('GET')) {
    mistakes.push('has the method HEAD without GET, as which it counts')
  }
  const { app_passwords: appPasswords = false } = given
  if (typeof appPasswords !== 'boolean') {
    mistakes.push('must have true or false as "app_passwords"')
  } else if (appPasswords && policy !== 'one_factor') {
    mistakes.push('has app_passwords, which only the policy one_factor can accept')
  }
  const rule: ForwardRule = {
    number,
    hosts: hosts ?? [],
    paths,
    methods: methods?.filter((method) => method !== 'HEAD') ?? null,
    networks,
    // An unknown role is a mistake, or unchecked because ROLES has mistakes.
    roles: names?.flatMap((name) => (parseRoleName(name) as Role | null) ?? []) ?? null,
    users,
    policy: policy ?? 'deny',
    ...(appPasswords === true && { acceptsAppPasswords: true as const }),
  }
  return { rule, mistakes }
}

function listOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxEntries) return null
  return value.every((item) => typeof item === 'string') ? value : null
}

function hostMistake(host: string): string | null {
  const isBelow = host.startsWith('*.')
  const name = isBelow ? host.slice(2) : host
  const isIntact = /^[^\s/?#@\\*]+$/.test(name) && host.length <= maxHostLength
  const url = isIntact ? URL.parse(`https://${name}`) : null
  const written = url?.host.replace(/\.(?=:|$)/, '').replace(/:80$/, '')
  if (!url || !written || (isBelow && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)) {
    return `has the host ${quoted(host)}, which is no host name, and not "*." with one`
  }
  if (written === name) return null
  return `has the host ${quoted(host)}, which is written ${quoted(isBelow ? `*.${written}` : written)}`
}

// RFC 3986 section 3.3
const needsNoEscape = /^[A-Za-z0-9._~!$&'()*+,=:@/-]$/

function pathMistake(path: string): string | null {
  const body = path.endsWith('/*') ? path.slice(0, -2) : path
  const mistake = (what: string) => `has the path ${quoted(path)}, ${what}`
  if (!path.startsWith('/')) return mistake('which does not begin with /')
  if (path.length > maxPathLength)
    return mistake(`which is longer than ${maxPathLength} characters`)
  if (body.includes('*')) return mistake('with a * that is not its end /*')
  if (/[?#]/.test(body)) return mistake('with a ? or a #: rules are about paths alone')
  const sent = URL.parse(`http://host${body}`)?.pathname ?? ''
  const text = decoded(body)
  const whole = path.endsWith('/*') ? `${text}/` : (text ?? '')
  // An ambiguous path would never match, or match something unintended.
  const isPlain = text !== null && !/[\\;%\p{Cc}]|\/\/|::|(?:^|\/)[ ]|[ .](?:\/|$)/u.test(whole)
  if (
    !isPlain ||
    text.normalize('NFKC') !== text ||
    text.split('/').length !== body.split('/').length
  ) {
    return mistake(
      'which can be read in more than one way: no \\, ;, ::, //, nor a dot or space at an end',
    )
  }
  const isNeedless = (digits: string) => needsNoEscape.test(decoded(digits) ?? '')
  if (body.match(/%[0-9a-f]{2}/gi)?.some(isNeedless))
    return mistake('with an escape that it does not need')
  if (body !== '' && sent !== body) return mistake(`which a browser sends as ${quoted(sent)}`)
  return null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function methodMistake(method: string): string | null {
  if (http.METHODS.includes(method)) return null
  const upper = method.toUpperCase()
  const hint = http.METHODS.includes(upper) ? `: write ${upper}` : ''
  return `has the method ${quoted(method)}, which is none of HTTP${hint}`
}

function roleMistake(name: string, roles: readonly Role[] | null): string | null {
  const isKnown = roles === null ? parseRoleName(name) !== null : parseRole(name, roles) !== null
  return isKnown
    ? null
    : `has the role ${quoted(name)}, which is neither one of the service nor in ROLES`
}

function networkMistake(network: string): string | null {
  try {
    const text = rangeText(parseAddressRange(network))
    // A single address may have its full length.
    if (network === text || network === `${text}/${text.includes(':') ? 128 : 32}`) return null
    return `has the network ${quoted(network)}, which is written ${quoted(text)}`
  } catch {
    return `has the network ${quoted(network)}, which is no address and no range such as 192.0.2.0/24`
  }
}

function userMistake(name: string): string | null {
  const written = canonicalUsername(name)
  if (written === null) return `has the user ${quoted(name)}, which is no username`
  if (written === name) return null
  return `has the user ${quoted(name)}, whose username is written ${quoted(written)}`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keeps control characters from the terminal. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 128))
}
