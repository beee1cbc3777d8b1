import { ApiError } from '../../core/errors.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { basicCredentials } from '../clients/basic-credentials.ts'
import { bearerToken } from '../tokens/authenticator.ts'
import type { KeyJudge } from './judge.ts'
import { hasKeyForm, looksLikeKey } from './key-text.ts'

/** Accepts keys in addition to bearer tokens; a text of the form of a key is never a token. */
export function keysBeside(own: Authenticator, keyJudge: KeyJudge): Authenticator {
  return {
    ...own,
    errors: [...(own.errors ?? []), 'accessDenied', 'tooManyLoginAttempts'],
    authenticate(request) {
      const text = bearerToken(request)
      return text !== null && looksLikeKey(text)
        ? keyJudge.authenticate(request, text, 'key')
        : own.authenticate(request)
    },
  }
}

/**
 * Accepts app passwords in addition to passwords. A text of the form of a key is never compared with
 * the password, and never counted against the account.
 */
export function appPasswordsBeside(
  own: Authenticator,
  keyJudge: KeyJudge,
  { isOn }: { readonly isOn: boolean },
): Authenticator {
  return {
    ...own,
    authenticate(request) {
      const sent = basicCredentials(request.headers.authorization)
      if (!sent || !hasKeyForm(sent.secret)) return own.authenticate(request)
      if (!isOn) {
        throw new ApiError('authenticationRequired', { reason: { code: 'app_passwords_off' } })
      }
      const username = canonicalUsername(sent.name)
      return keyJudge.authenticate(request, sent.secret, 'app_password', username)
    },
  }
}
