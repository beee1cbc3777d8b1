import type { Asked, Spoil, Told } from './wrong-service.ts'

/** One row that is wrong. */
export interface Mutation {
  readonly wrong: string
  /** The checks that run, by the beginnings of their ids. */
  readonly only: readonly string[]
  /** Exactly the checks that fail. */
  readonly found: readonly string[]
  readonly make: () => Spoil
}

type Is = (asked: Asked, told: Told) => boolean

/** Changes the answers to some requests. */
export function answers(is: Is, change: (told: Told, asked: Asked) => Partial<Told>): () => Spoil {
  return () => async (asked, forward) => {
    const told = await forward(asked)
    return is(asked, told) ? { ...told, ...change(told, asked) } : told
  }
}

export const to =
  (method: string, path: RegExp, status?: number): Is =>
  (asked, told) =>
    asked.method === method &&
    path.test(asked.path) &&
    (status === undefined || told.status === status)

/** Changes the JSON of an answer. */
export function json(
  change: (body: Record<string, unknown>) => unknown,
): (told: Told) => Partial<Told> {
  return ({ text }) => ({ text: JSON.stringify(change(JSON.parse(text))) })
}

export const error = (text: string) => () => ({ text: JSON.stringify({ error: text }) })
export const field = (name: string, value: unknown) => json((body) => ({ ...body, [name]: value }))
export const flag = (from: RegExp, instead: string) => (told: Told) => ({
  cookies: told.cookies.map((cookie) => cookie.replace(from, instead)),
})

/** Changes a part of a token; its signature is wrong then, which its reader does not see. */
export function tokenPart(name: string, part: 0 | 1, change: object) {
  return json((body) => {
    const parts = String(body[name]).split('.')
    const former = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString())
    const changed = JSON.stringify({ ...former, ...change })
    return {
      ...body,
      [name]: parts.with(part, Buffer.from(changed).toString('base64url')).join('.'),
    }
  })
}

/** Answers the first of equal requests without asking the service. */
export function ignoresFirst(
  method: string,
  path: RegExp,
  told: (asked: Asked) => Told,
): () => Spoil {
  return () => {
    const seen = new Set<string>()
    return async (asked, forward) => {
      const key = `${asked.path} ${asked.headers.cookie ?? ''}`
      const isFirst = asked.method === method && path.test(asked.path) && !seen.has(key)
      if (!isFirst) return forward(asked)
      seen.add(key)
      return told(asked)
    }
  }
}

export const plain = (status: number, body: object): Told => ({
  status,
  headers: { 'content-type': 'application/json' },
  cookies: [],
  text: JSON.stringify(body),
})

export function nameIn(authorization = ''): string {
  return Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[0] ?? ''
}
