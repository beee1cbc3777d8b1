import type { Answer, Sent } from './http.ts'
import { fieldsOf } from './people.ts'

/** What POST requests create: the field of its id, and how it is removed. */
const kinds = [
  { created: /^\/api\/posts$/, field: 'id', removed: '/api/posts/' },
  { created: /^(?:\/api\/v[12])?\/users$/, field: 'id', removed: '/users/' },
  { created: /^\/api\/admin\/accounts$/, field: 'user_id', removed: '/users/' },
] as const

export interface Created {
  /** Remembers what a request has created, and the usernames whose failed logins count. */
  note(sent: Sent, answer: Answer): void
  /** Remembers what a request without an answer may have created. */
  noteLost(sent: Sent): void
  /** Removes all; returns the paths of what is left, with the answers, and what is lost. */
  remove(send: (path: string) => Promise<Answer>): Promise<string[]>
}

/** Only what this run has created is ever removed. */
export function createCreated(mark: string): Created {
  const paths = new Set<string>()
  const lost = new Set<string>()
  return {
    note(sent, answer) {
      const { method, path } = sent
      if (path === '/login' || [401, 429].includes(answer.status)) {
        const username = usernameOf(sent)
        if (username.includes(mark)) paths.add(`/api/admin/throttle/${username}`)
      }
      if (answer.status >= 300) return
      const kind = kinds.find(({ created }) => created.test(path))
      const id = kind && fieldsOf(answer)[kind.field]
      if (kind && method === 'POST' && typeof id === 'number') paths.add(`${kind.removed}${id}`)
    },

    noteLost(sent) {
      const username = usernameOf(sent)
      if (sent.path === '/login' && username.includes(mark)) {
        paths.add(`/api/admin/throttle/${username}`)
      }
      if (isCreation(sent)) lost.add(`${sent.path} ${nameOf(sent)} (perhaps: no answer)`)
    },

    async remove(send) {
      const left = [...lost]
      // In this order: counts, posts, users. Without its author a post would stay.
      for (const path of [...paths].sort()) {
        const { status } = await send(path).catch(() => ({ status: 0 }))
        if (status === 200 || status === 404) paths.delete(path)
        else left.push(`${path} (${status === 0 ? 'no answer' : status})`)
      }
      return left
    },
  }
}

export function isCreation({ method, path }: Sent): boolean {
  return method === 'POST' && kinds.some(({ created }) => created.test(path))
}

/** What the request calls the new account, user or post. */
function nameOf({ body = '' }: Sent): string {
  const [, name = 'without a name'] = /"(?:username|name|title)":"([^"]*)"/.exec(body) ?? []
  return name
}

/** Of a login, or of Basic credentials. */
function usernameOf({ body = '', headers }: Sent): string {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString().split(':', 1)[0] ?? ''
  const [, username = ''] = /"username":"([^"]*)"/.exec(body) ?? []
  return username || (new URLSearchParams(body).get('username') ?? '')
}
