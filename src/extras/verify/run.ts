import {
  type Check,
  contractSettings,
  isReadOnly,
  type NotCheckable,
  requestText,
  rowsOf,
  type SettingName,
  type Settings,
} from './check.ts'
import { allChecks } from './checks.ts'
import { createCreated, isCreation } from './created.ts'
import { type Answer, lateSignal, NoAnswer, type Send, type Sent } from './http.ts'
import { actualText, expectedText } from './judge.ts'
import { notCheckable } from './not-checkable.ts'
import { type Credentials, createPeople, NotCheckedHere, Unprepared } from './people.ts'
import { type CheckNeeds, runCheck, waitedSeconds } from './run-check.ts'
import type { Secrets } from './secrets.ts'
import { MissingValue, type Values } from './values.ts'

export const profiles = ['contract', 'decisions', 'read-only'] as const
export type Profile = (typeof profiles)[number]
export const formats = ['text', 'json', 'junit'] as const

export interface RunOptions {
  readonly send: Send
  readonly profile: Profile
  /** Those of the service that differ from the contract. */
  readonly settings: Partial<Record<SettingName, string>>
  /** The longest wait for one row, in seconds. */
  readonly maxWaitSeconds: number
  /** Beginnings of ids; empty: all. */
  readonly only: readonly string[]
  readonly operator: Credentials | null
  /** Has the login of the operator. */
  readonly secrets: Secrets
  readonly now: () => number
  /** Milliseconds; ends early on the signal. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly randomText: (bytes: number) => string
  /** Breaks the run off, and the request under way: what was created is removed. */
  readonly signal: AbortSignal
}

export interface Result {
  readonly id: string
  readonly rows: readonly string[]
  readonly request: string | null
  readonly expected: string | null
  readonly actual: string | null
  readonly outcome: 'passed' | 'failed' | 'not_checked'
  /** Each difference; of `not_checked` the reason. */
  readonly faults: readonly string[]
  readonly milliseconds: number
}

export interface Ran {
  readonly results: readonly Result[]
  /** What could not be removed. */
  readonly left: readonly string[]
  readonly isBrokenOff: boolean
}

class BrokenOff extends Error {}

const maxUnanswered = 3

export async function run(options: RunOptions): Promise<Ran> {
  const { now, operator, randomText, secrets, signal } = options
  const settings: Settings = { ...contractSettings, ...options.settings }
  const mark = randomText(6)
    .replaceAll(/[^A-Za-z0-9]/g, 'x')
    .toLowerCase()
  const values: Values = new Map<string, unknown>([
    ...Object.entries(settings).map(
      ([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value] as const,
    ),
    ['mark', mark],
  ])
  const created = createCreated(mark)
  let unanswered = 0
  let isCleaning = false
  const late = lateSignal(signal)

  const send = async (sent: Sent): Promise<Answer> => {
    if (signal.aborted && !isCleaning) throw new BrokenOff()
    if (unanswered >= maxUnanswered) throw new NotCheckedHere('the service no longer answers')
    try {
      const end = isCreation(sent) ? late : signal
      const answer = await options.send(sent, isCleaning ? undefined : end)
      unanswered = 0
      created.note(sent, answer)
      secrets.note(sent, answer)
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      unanswered += 1
      created.noteLost(sent)
      secrets.note(sent, null)
      if (signal.aborted && !isCleaning) throw new BrokenOff()
      throw error
    }
  }
  const people = createPeople({ mark, now, operator, randomText, secrets, send, settings, values })
  const needs: CheckNeeds = {
    now,
    values,
    send,
    people,
    settings,
    cookieName: settings.SESSION_COOKIE_NAME,
    async wait(seconds) {
      await options.wait(seconds * 1000, signal)
      if (signal.aborted) throw new BrokenOff()
      people.forget()
    },
  }

  const selected = allChecks.filter((check) => isSelected(check, options))
  const order = (check: Check) =>
    (check.isWrongLogin ? 2 : 0) + (waitedSeconds(check, settings) > 0 ? 1 : 0)
  const results: Result[] = []
  let isBrokenOff = false
  try {
    for (const check of selected.toSorted((left, right) => order(left) - order(right))) {
      results.push(await resultOf(check))
    }
  } catch (error) {
    if (!(error instanceof BrokenOff)) throw error
    isBrokenOff = true
  } finally {
    unanswered = 0
  }
  const left = await cleanUp()
  const rest = notCheckable.filter((one) => isSelected(one, options)).map(notCheckableResult)
  return {
    results: [...results, ...rest],
    left: left.map((one) => secrets.safe(one)),
    isBrokenOff,
  }

  async function resultOf(check: Check): Promise<Result> {
    const startedAt = now()
    const result = (
      outcome: Result['outcome'],
      faults: readonly string[],
      actual: string | null,
    ) => ({
      id: check.id,
      rows: rowsOf(check),
      request: requestText(check.request),
      expected: expectedText(check.expect),
      actual,
      outcome,
      faults: faults.map((fault) => secrets.safe(fault)),
      milliseconds: now() - startedAt,
    })
    const reason = reasonAgainst(check, options, settings)
    if (reason !== null) return result('not_checked', [reason], null)
    try {
      if (check.isWrongLogin && !values.has('address')) await learnAddress()
      const { answer, faults } = await runCheck(needs, check)
      return result(
        faults.length > 0 ? 'failed' : 'passed',
        faults,
        answer && actualText(answer, secrets),
      )
    } catch (error) {
      if (error instanceof NotCheckedHere) return result('not_checked', [error.message], null)
      if (error instanceof MissingValue) {
        return result('failed', [`preparation: there is no ${error.message}`], null)
      }
      if (error instanceof NoAnswer || error instanceof Unprepared) {
        return result('failed', [error.message], null)
      }
      throw error
    }
  }

  /** The address of this run, as the service sees it: a session of the own account has it. */
  async function learnAddress(): Promise<void> {
    values.set('address', '')
    const headers = await people.headersOf('session', 'admin', false)
    await people.headersOf('bearer', 'admin', false) // clears the counts: nothing may refuse it then
    const path = '/api/account/sessions'
    const { body } = await send({ method: 'GET', path, headers, body: undefined })
    const sessions: readonly Record<string, unknown>[] = Array.isArray(body) ? body : []
    const current = sessions.find((one) => one.current === true)
    values.set('address', encodeURIComponent(String(current?.address ?? '')))
  }

  async function cleanUp(): Promise<string[]> {
    isCleaning = true
    const remove = async (path: string, by: 'basic operator' | 'bearer admin') => {
      const [scheme, person] = by.split(' ') as ['basic', 'operator'] // or the other pair
      const headers = await people.headersOf(scheme, person, true)
      return send({ method: 'DELETE', path, headers, body: undefined })
    }
    const address = values.get('address')
    const place = `/api/admin/throttle/addresses/${address}`
    const cleared = address ? await remove(place, 'bearer admin').catch(() => null) : null
    const isLeft = address && (!cleared || ![200, 404].includes(cleared.status))
    return [
      ...(isLeft ? [`the failed logins of this address (${cleared?.status ?? 'no answer'})`] : []),
      ...(await created.remove((path) => remove(path, 'basic operator'))),
    ]
  }
}

function isSelected(
  { id, rows }: Pick<Check, 'id' | 'rows'>,
  { only, profile }: RunOptions,
): boolean {
  if (only.length > 0) return only.some((beginning) => id.startsWith(beginning))
  return profile === 'decisions' || rowsOf({ rows }).some((row) => !row.startsWith('decisions '))
}

/** Why a check does not run, or null. */
function reasonAgainst(check: Check, options: RunOptions, settings: Settings): string | null {
  if (options.profile === 'read-only' && !isReadOnly(check)) {
    return 'changes or reads too much for the profile read-only'
  }
  if (check.isAlone && !options.only.includes(check.id)) {
    return `its requests would refuse all others: --only ${check.id}`
  }
  for (const [name, value] of Object.entries(check.when ?? {})) {
    const actual = settings[name as SettingName]
    if (value === true ? ['', '0', 'off'].includes(actual) : actual !== value) {
      return `needs ${name}${value === true ? '' : `=${value}`} at the service: --setting ${name}=...`
    }
  }
  const seconds = waitedSeconds(check, settings)
  if (seconds > options.maxWaitSeconds) {
    return `takes ${seconds} s: --wait ${seconds}, or a service with a shorter setting`
  }
  return null
}

function notCheckableResult({ id, reason, rows }: NotCheckable): Result {
  const nothing = { request: null, expected: null, actual: null, milliseconds: 0 }
  return { id, rows: rowsOf({ rows }), ...nothing, outcome: 'not_checked', faults: [reason] }
}
