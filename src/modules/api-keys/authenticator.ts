import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { bearerToken } from '../tokens/authenticator.ts'
import type { KeyJudge } from './judge.ts'
import { looksLikeKey } from './key-text.ts'

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
