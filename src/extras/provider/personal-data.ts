import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { consentStore } from './consents.ts'

export const sections: readonly ExportSection[] = [
  list({ name: 'applications', tables: ['provider_consents'] }, async (db, userId) => {
    const consents = await consentStore(db).of(userId)
    return consents.map(({ client, scopes, givenAt }) => ({
      ...{ client, scopes },
      given_at: isoTime(givenAt),
    }))
  }),
]
