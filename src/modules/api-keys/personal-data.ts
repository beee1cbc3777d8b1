import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { keyStore } from './store.ts'

/** Without the digests. */
export const sections: readonly ExportSection[] = [
  list({ name: 'keys', tables: ['api_keys'] }, async (db, userId) => {
    const keys = await keyStore(db).of(userId)
    return keys.map(({ kind, name, scopes, roles, ...times }) => ({
      ...{ kind, name, scopes, roles },
      created_at: isoTime(times.createdAt),
      expires_at: isoTime(times.expiresAt),
      last_used_at: isoTimeOrNull(times.lastUsedAt),
    }))
  }),
]
