import { createHmac } from 'node:crypto'

/** A value in braces that an earlier request of the same check should have given. */
export class MissingValue extends Error {}

export type Values = Map<string, unknown>

/** Computed values, by the first word in braces. Arguments are names of values. */
const functions: Readonly<Record<string, (args: readonly string[], about: About) => string>> = {
  /** A code of a secret, some steps of 30 s from now. RFC 6238. */
  totp: ([secret = '', step = '0'], about) =>
    totp(textOf(secret, about), Math.floor(about.now() / 30_000) + Number(step)),
  base64: (words) => Buffer.from(words.join(' ')).toString('base64'),
  /** Username and password for Basic. */
  basic: ([person = ''], about) =>
    Buffer.from(
      `${textOf(`${person}.username`, about)}:${textOf(`${person}.password`, about)}`,
    ).toString('base64'),
  wrong: ([person = ''], about) =>
    Buffer.from(`${textOf(`${person}.username`, about)}:not the password`).toString('base64'),
  /** The token with the algorithm none and without a signature. */
  unsigned: ([token = ''], about) => {
    const [, claims = ''] = textOf(token, about).split('.')
    return `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.`
  },
  /** The token with the role ADMIN, and the signature of its former claims. */
  tampered: ([token = ''], about) => {
    const [header, claims = '', signature] = textOf(token, about).split('.')
    return `${header}.${encode({ ...claimsOf(claims, token), roles: ['ADMIN'] })}.${signature}`
  },
  /** The token, signed by HS256 with another secret. */
  foreign: ([token = ''], about) => {
    const [, claims = ''] = textOf(token, about).split('.')
    const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${claims}`
    const secret = 'a secret that this service does not have'
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  },
  repeat: ([text = '', times = '1']) => text.repeat(Number(times)),
}

export interface About {
  readonly values: Values
  readonly now: () => number
}

const place = /\{(\w[\w.-]*)((?: [^\s{}]+)*)\}/g

/**
 * The value with its braces filled in. A text that is one pair of braces takes the type of the value.
 * @throws MissingValue
 */
export function fill(value: unknown, about: About): unknown {
  if (typeof value === 'string') {
    const [whole] = value.matchAll(place)
    if (whole && whole[0] === value) return lookUp(whole, about)
    return value.replace(place, (...found) => String(lookUp(found.slice(0, 3).map(String), about)))
  }
  if (Array.isArray(value)) return value.map((each) => fill(each, about))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, about)]))
}

/** The first words of all braces. */
export function namesIn(value: unknown): string[] {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [...text.matchAll(place)].flatMap(([, name = '', args = '']) => [
    name,
    ...args.trim().split(' '),
  ])
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}

/** The header or the claims of a token. @throws SyntaxError */
export function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

/** Of a token that a service gave. @throws MissingValue */
function claimsOf(part: string, name: string): Record<string, unknown> {
  try {
    return decode(part)
  } catch {
    throw new MissingValue(`JSON in the claims of ${name}`)
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function lookUp([, name = '', args = '']: readonly string[], about: About): unknown {
  const computed = functions[name]
  if (computed) return computed(args.trim().split(' '), about)
  if (!about.values.has(name)) throw new MissingValue(name)
  return about.values.get(name)
}

function textOf(name: string, { values }: About): string {
  if (!values.has(name)) throw new MissingValue(name)
  return String(values.get(name))
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function totp(secret: string, step: number): string {
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
