import { isoTime } from '../../core/lib/clock.ts'
import { list, type PersonSection } from '../../core/module/person.ts'
import { identityStore } from './identity-store.ts'

/** The identities at providers. */
export const sections: readonly PersonSection[] = [
  list({ name: 'identities', tables: ['identities'] }, async (db, userId) =>
    (await identityStore(db).of(userId)).map(({ id, issuer, subject, createdAt }) => ({
      ...{ id, issuer, subject },
      created_at: isoTime(createdAt),
    })),
  ),
]
