import { frameTexts } from '../../frame-texts.ts'
import { session } from '../../session/session.ts'

/** Leads to the reference of the API, which is for administrators. */
export function PersonLink() {
  const t = frameTexts.use()
  return session.value?.roles.includes('ADMIN') ? <a href="/api/docs">{t.reference}</a> : null
}
