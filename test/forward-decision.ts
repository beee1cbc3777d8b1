import assert from 'node:assert/strict'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../src/core/errors.ts'
import { createMeasurements } from '../src/core/measurements/measurements.ts'
import { contractRoles } from '../src/core/policy/principal.ts'
import { createForwardDecision } from '../src/extras/forward-auth/decision.ts'
import { parseForwardRules } from '../src/extras/forward-auth/forward-file.ts'
import { createJudge } from '../src/extras/forward-auth/judge.ts'
import { forwardDecisions } from '../src/extras/forward-auth/measurements.ts'
import { type Asked, forwarded, forwardPath, home } from './forward.ts'
import { seededRandom } from './random.ts'

type Deps = Parameters<typeof createForwardDecision>[0]

export interface Decided {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly principal: FastifyRequest['principal']
  /** Undefined without an error. */
  readonly error: readonly [row: unknown, reason: unknown] | undefined
  /** The counters that this request increased. */
  readonly counted: Readonly<Record<string, number>>
  readonly isSynchronous: boolean
  readonly isGuarded: boolean
}

/** Decides about requests by rules, with authenticators and sessions of the test. */
export function decidingBy(
  rules: readonly object[],
  parts: Partial<Pick<Deps, 'accounts' | 'authenticators' | 'hostSessions' | 'sessions'>>,
) {
  const { mistakes, rules: parsed } = parseForwardRules(JSON.stringify({ rules }), contractRoles)
  assert.deepEqual(mistakes, [])
  const unused = () => assert.fail('not asked for')
  const { accounts, authenticators = [], hostSessions, sessions } = parts
  const measurements = createMeasurements()
  const config = {
    ...{ baseUrl: home, roles: contractRoles, session: { cookieName: 'sid' } },
    http: { trustedProxies: ['127.0.0.1'] },
  }
  const decide = createForwardDecision({
    accounts: accounts ?? { byUserId: unused },
    authenticators,
    config: config as unknown as Deps['config'], // what it reads
    db: {} as Deps['db'], // only guards of changes read it
    forwardRules: createJudge(parsed),
    hostSessions: hostSessions ?? { resume: unused },
    measurements,
    random: seededRandom(1),
    sessions: sessions ?? { resume: unused },
  })

  return async (asked: Asked = {}): Promise<Decided> => {
    const { at = forwardPath, by = 'GET', headers = {} } = asked
    const path = at.split('?')[0]
    const socket = { remoteAddress: '127.0.0.1' }
    const request = {
      ...{ method: by, principal: null, guard: null, ip: '127.0.0.1', ips: ['127.0.0.1'], socket },
      raw: { url: at, socket, complete: true },
      headers: { ...forwarded(asked), ...headers },
      params: path === forwardPath ? {} : { '*': '' },
      query: Object.fromEntries(new URLSearchParams(at.split('?')[1])),
      routeOptions: { config: { judgesKeys: true } },
      server: { authenticators, parseCookie },
    } as unknown as FastifyRequest // what it reads
    const { reply, sent } = recordingReply()
    const counts = measurements.of(forwardDecisions)
    const before = { ...counts }
    let error: Decided['error']
    let isSynchronous = true
    try {
      const result = decide(request, reply)
      isSynchronous = result === undefined
      await result
    } catch (thrown) {
      const { message } = thrown as Error
      error = thrown instanceof ApiError ? [thrown.row, thrown.reason] : ['Error', message]
    }
    const counted = Object.entries(counts).flatMap(([name, value]) => {
      const more = value - (before[name as keyof typeof before] ?? 0) // a key of the counters
      return more === 0 ? [] : [[name, more]]
    })
    return {
      ...{ ...sent, error, isSynchronous, principal: request.principal },
      isGuarded: request.guard !== null,
      counted: Object.fromEntries(counted),
    }
  }
}

function parseCookie(header: string): Record<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]))
}

function recordingReply() {
  const sent = { status: 200, headers: {} as Record<string, unknown>, body: undefined as unknown }
  const reply = {
    header: (name: string, value: unknown) => {
      sent.headers[name] = value
      return reply
    },
    removeHeader: (name: string) => {
      delete sent.headers[name]
      return reply
    },
    status: (code: number) => {
      sent.status = code
      return reply
    },
    send: (body?: unknown) => {
      sent.body = body ?? ''
      return reply
    },
    setCookie: (name: string, value: string) => reply.header('set-cookie', `${name}=${value}`),
  }
  return { reply: reply as unknown as FastifyReply, sent } // what it calls
}
