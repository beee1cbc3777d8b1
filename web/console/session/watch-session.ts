import { loginQuestion } from './ask-for-login.ts'
import { csrfToken, restoreSession } from './session.ts'

/**
 * Looks at the session whenever the person comes back to this tab: another may have ended it, begun
 * a new one, which answers the question of the login, or signed in as another person.
 */
export function watchSession(): () => void {
  async function look(): Promise<void> {
    if (document.visibilityState !== 'visible') return
    const before = csrfToken()
    const found = await restoreSession().catch(() => null)
    if (found && found.csrf_token !== before) loginQuestion.value?.answer(true)
  }
  const onReturn = () => void look()
  addEventListener('focus', onReturn)
  document.addEventListener('visibilitychange', onReturn)
  return () => {
    removeEventListener('focus', onReturn)
    document.removeEventListener('visibilitychange', onReturn)
  }
}
