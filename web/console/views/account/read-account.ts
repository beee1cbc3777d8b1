import { api, dataOf, type Tagged, taggedOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'

export type Account = components['schemas']['Account']
export type User = components['schemas']['User']
export type Session = components['schemas']['Session']
export type Factor = components['schemas']['Factor']
export type Details = components['schemas']['AccountDetails']
export type AccountChanges = components['schemas']['AccountChanges']

/** All that the page of an account shows first, and of which its actions tell the effects. */
export interface ShownAccount {
  readonly account: Tagged<Account>
  readonly user: Tagged<User>
  readonly details: Details
  readonly sessions: readonly Session[]
  readonly factors: readonly Factor[]
}

/** Reads an account. @throws ApiProblem 404 if there is none of this name */
export async function readAccount(username: string, signal: AbortSignal): Promise<ShownAccount> {
  const of = { params: { path: { username } }, signal }
  const account = await taggedOf(api.GET('/api/admin/accounts/{username}', of))
  const [user, details, sessions, factors] = await Promise.all([
    readUser(account.data.user_id, signal),
    dataOf(api.GET('/api/admin/accounts/{username}/details', of)),
    dataOf(api.GET('/api/admin/accounts/{username}/sessions', of)),
    dataOf(api.GET('/api/admin/accounts/{username}/factors', of)),
  ])
  return { account, user, details, sessions, factors }
}

export function readUser(id: number, signal?: AbortSignal): Promise<Tagged<User>> {
  return taggedOf(api.GET('/users/{id}', { params: { path: { id } }, ...(signal && { signal }) }))
}
