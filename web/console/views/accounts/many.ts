import { ApiProblem, api, dataOf } from '../../api/client.ts'
import { LoginDeclined } from '../../session/ask-for-login.ts'
import type { ListedAccount } from './read-accounts.ts'

/** What is done with many accounts at once. */
export type ManyAction =
  | { readonly kind: 'lock' | 'unlock' | 'endSessions' }
  | { readonly kind: 'giveRole' | 'takeRole'; readonly role: string }

export interface Failure {
  readonly account: ListedAccount
  readonly problem: unknown
}

/** How far it has come. */
export interface ManyProgress {
  readonly done: readonly ListedAccount[]
  readonly failed: readonly Failure[]
  readonly left: readonly ListedAccount[]
  /** Seconds that the service asks to wait; null: it does not. */
  readonly waitSeconds: number | null
}

interface Options {
  readonly signal: AbortSignal
  readonly report: (progress: ManyProgress) => void
}

const maxTries = 5

/** Whether an action changes anything of an account. */
export function hasEffect(action: ManyAction, { locked, roles }: ListedAccount): boolean {
  const has = (role: string) => roles.some((own) => own === role)
  switch (action.kind) {
    case 'lock':
      return !locked
    case 'unlock':
      return locked
    case 'giveRole':
      return !has(action.role)
    case 'takeRole':
      return has(action.role)
    case 'endSessions':
      return true
  }
}

/** The action that takes another one back; null: nothing does. */
export function inverseOf(action: ManyAction): ManyAction | null {
  switch (action.kind) {
    case 'lock':
      return { kind: 'unlock' }
    case 'unlock':
      return { kind: 'lock' }
    case 'giveRole':
      return { kind: 'takeRole', role: action.role }
    case 'takeRole':
      return { kind: 'giveRole', role: action.role }
    case 'endSessions':
      return null
  }
}

/**
 * Does it with one account after another, so that it can be stopped between two. A refusal of one
 * account does not end it. Where the service asks to wait, it waits; a login that the person declines
 * stops it, and so does a service that answers no more.
 */
export async function doWithMany(
  action: ManyAction,
  accounts: readonly ListedAccount[],
  { signal, report }: Options,
): Promise<void> {
  const done: ListedAccount[] = []
  const failed: Failure[] = []
  const tell = (waitSeconds: number | null = null) => {
    const left = accounts.slice(done.length + failed.length)
    report({ done: [...done], failed: [...failed], left, waitSeconds })
  }
  tell()
  for (const account of accounts) {
    if (signal.aborted) return
    const problem = await tried(action, account, signal, tell)
    if (problem === stopped) return
    if (problem === null) done.push(account)
    else failed.push({ account, problem })
    tell()
    if (isEndOfAll(problem)) return
  }
}

const stopped = Symbol('stopped')

async function tried(
  action: ManyAction,
  account: ListedAccount,
  signal: AbortSignal,
  tell: (waitSeconds: number) => void,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      await apply(action, account)
      return null
    } catch (problem) {
      const seconds = problem instanceof ApiProblem ? problem.retryAfter : null
      if (seconds === null || tries === maxTries) return problem
      tell(seconds)
      if (!(await waited(seconds, signal))) return stopped
    }
  }
}

/** Only a role needs the present roles: an administrator may have changed them since the list. */
async function apply(action: ManyAction, { username }: ListedAccount): Promise<void> {
  const params = { path: { username } }
  if (action.kind === 'endSessions') {
    await dataOf(api.DELETE('/api/admin/accounts/{username}/sessions', { params }))
  } else if ('role' in action) {
    await applyRole(username, action.role, action.kind === 'giveRole')
  } else {
    const body = { locked: action.kind === 'lock' }
    await dataOf(api.PUT('/api/admin/accounts/{username}', { params, body }))
  }
}

async function applyRole(username: string, role: string, isGiven: boolean): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const params = { path: { username } }
    const present = await api.GET('/api/admin/accounts/{username}', { params })
    const { roles } = await dataOf(Promise.resolve(present))
    const others = roles.filter((own) => own !== role)
    const body = { roles: isGiven ? [...others, role] : others }
    const header = { 'If-Match': present.response.headers.get('etag') ?? '' }
    try {
      await dataOf(
        api.PUT('/api/admin/accounts/{username}', { params: { ...params, header }, body }),
      )
      return
    } catch (problem) {
      const isConflict = problem instanceof ApiProblem && problem.status === 412
      if (!isConflict || tries === maxTries) throw problem
    }
  }
}

function waited(seconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve(!signal.aborted)
    }
    const timer = setTimeout(end, seconds * 1000)
    signal.addEventListener('abort', end)
  })
}

function isEndOfAll(problem: unknown): boolean {
  if (problem instanceof LoginDeclined) return true
  return problem instanceof ApiProblem && problem.status === 0
}
