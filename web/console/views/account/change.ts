import { ApiProblem, api, taggedOf } from '../../api/client.ts'
import { type Difference, wantsOwn } from '../../components/conflict.tsx'
import {
  type Account,
  type AccountChanges,
  readUser,
  type Tagged,
  type User,
} from './read-account.ts'

/** The texts of a conflict. */
export interface ConflictTexts {
  readonly fields: Readonly<Record<string, string>>
  readonly yes: string
  readonly no: string
  readonly noValue: string
  /** In place of a value that the API does not show. */
  readonly notShown: string
}

/**
 * Changes an account in the version that was shown. If it was changed meanwhile, both versions are
 * shown, and the change is made after all if the person wants it; null if not.
 */
export function changeAccount(
  shown: Tagged<Account>,
  changes: AccountChanges,
  t: ConflictTexts,
): Promise<Tagged<Account> | null> {
  const path = { username: shown.data.username }
  return changed(shown, changes, t, {
    put: (etag) =>
      taggedOf(
        api.PUT('/api/admin/accounts/{username}', {
          params: { path, header: { 'If-Match': etag } },
          body: changes,
        }),
      ),
    read: () => taggedOf(api.GET('/api/admin/accounts/{username}', { params: { path } })),
  })
}

/** Changes a user in the same way. */
export function changeUser(
  shown: Tagged<User>,
  changes: { readonly name?: string; readonly email?: string },
  t: ConflictTexts,
): Promise<Tagged<User> | null> {
  const path = { id: shown.data.id }
  return changed(shown, changes, t, {
    put: (etag) =>
      taggedOf(
        api.PUT('/users/{id}', { params: { path, header: { 'If-Match': etag } }, body: changes }),
      ),
    read: () => readUser(path.id),
  })
}

interface Access<Data> {
  put(etag: string): Promise<Tagged<Data>>
  read(): Promise<Tagged<Data>>
}

async function changed<Data extends object>(
  shown: Tagged<Data>,
  changes: object,
  t: ConflictTexts,
  { put, read }: Access<Data>,
): Promise<Tagged<Data> | null> {
  let { etag } = shown
  for (;;) {
    try {
      return await put(etag)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 412) throw error
    }
    const present = await read()
    if (!(await wantsOwn(differencesOf(present.data, changes, t)))) return null
    etag = present.etag
  }
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
