import type { Migration } from './statement.ts'

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-='
const withoutHash = `rtrim(password_hash, '${base64}')`
const parameters = `rtrim(rtrim(${withoutHash}, '$'), '${base64}')`

/** For the kinds of password hashes (passwords/hash-kinds.ts), queried every second. */
export const statements: Migration = [
  `create index accounts_by_hash_kind on accounts ((case substr(password_hash, 1, 2)
    when '$2' then substr(password_hash, 1, 6)
    when '$p' then ${parameters}
      || cast(length(password_hash) - length(${withoutHash}) as text)
    else ${parameters} end))`,
]
