import { signal } from '@preact/signals'
import { csrfToken } from './session.ts'

/** Why a login is asked for: the session has ended, or the API wants a recent login. */
export type LoginReason = 'ended' | 'recent'

interface Question {
  readonly reason: LoginReason
  /** Whether a login was made: the requests that wait go on, or are given up. */
  answer(hasLoggedIn: boolean): void
}

/** What the dialog of the login shows; null: it is closed. */
export const loginQuestion = signal<Question | null>(null)

let asking: Promise<void> | undefined

/** The person does not want to sign in. The request that asked is given up, and nothing is lost. */
export class LoginDeclined extends Error {}

/**
 * Asks for a login above the present view, once for all requests that wait. `sentWith` is the CSRF
 * token that the refused request was sent with: after a login since then the request only has to be
 * sent again. @throws LoginDeclined
 */
export async function askForLogin(reason: LoginReason, sentWith: string): Promise<void> {
  if (csrfToken() !== sentWith) return
  asking ??= new Promise<void>((resolve, reject) => {
    loginQuestion.value = {
      reason,
      answer(hasLoggedIn) {
        asking = undefined
        loginQuestion.value = null
        if (hasLoggedIn) resolve()
        else reject(new LoginDeclined())
      },
    }
  })
  return asking
}
