import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { identityStore } from './identity-store.ts'

export const sections: readonly ExportSection[] = [
  list({ name: 'identities', tables: ['identities'] }, async (db, userId) =>
    (await identityStore(db).of(userId)).map(({ id, issuer, subject, createdAt }) => ({
      ...{ id, issuer, subject },
      created_at: isoTime(createdAt),
    })),
  ),
]
