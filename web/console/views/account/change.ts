import { api, type Tagged, taggedOf } from '../../api/client.ts'
import { changeShown } from '../../change-shown.ts'
import type { Difference } from '../../components/conflict.tsx'
import { type Account, type AccountChanges, readUser, type User } from './read-account.ts'

/** The texts of a conflict. */
export interface ConflictTexts {
  readonly fields: Readonly<Record<string, string>>
  readonly yes: string
  readonly no: string
  readonly noValue: string
  /** In place of a value that the API does not show. */
  readonly notShown: string
}

/** Changes an account in the version that was shown; null if the other version shall stay. */
export function changeAccount(
  shown: Tagged<Account>,
  changes: AccountChanges,
  t: ConflictTexts,
): Promise<Tagged<Account> | null> {
  const path = { username: shown.data.username }
  return changeShown(shown, {
    put: (etag) =>
      taggedOf(
        api.PUT('/api/admin/accounts/{username}', {
          params: { path, header: { 'If-Match': etag } },
          body: changes,
        }),
      ),
    read: () => taggedOf(api.GET('/api/admin/accounts/{username}', { params: { path } })),
    differencesOf: (present) => differencesOf(present, changes, t),
  })
}

/** Changes a user in the same way. */
export function changeUser(
  shown: Tagged<User>,
  changes: { readonly name?: string; readonly email?: string },
  t: ConflictTexts,
): Promise<Tagged<User> | null> {
  const path = { id: shown.data.id }
  return changeShown(shown, {
    put: (etag) =>
      taggedOf(
        api.PUT('/users/{id}', { params: { path, header: { 'If-Match': etag } }, body: changes }),
      ),
    read: () => readUser(path.id),
    differencesOf: (present) => differencesOf(present, changes, t),
  })
}

/** The fields of the change, as they are now and as they are wanted. */
function differencesOf(present: object, changes: object, t: ConflictTexts): Difference[] {
  const theirs = new Map<string, unknown>(Object.entries(present))
  return Object.entries(changes).map(([name, own]) => ({
    label: t.fields[name] ?? name,
    theirs: theirs.has(name) ? shownValue(theirs.get(name), t) : t.notShown,
    own: shownValue(own, t),
  }))
}

function shownValue(value: unknown, t: ConflictTexts): string {
  if (value === true) return t.yes
  if (value === false) return t.no
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return text === '' ? t.noValue : text
}
