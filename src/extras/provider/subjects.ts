import { keyedDigest } from '../../core/crypto/digest.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Application, sectorOf } from '../../modules/clients/application.ts'
import { keyFor } from './storage.ts'

/** The `sub` of a person at an application. OpenID Connect Core section 8.1 */
export type SubjectFor = (application: Application, userId: string) => string

/** A pairwise subject is computed, not stored: nothing is left of an erased person. */
export function createSubjects({ keys }: Pick<Needs, 'keys'>): SubjectFor {
  const key = keyFor(keys, 'pairwise subjects')
  return (application, userId) => {
    if (application.subject === 'public') return userId
    return keyedDigest(key(), `${sectorOf(application)} ${userId}`)
  }
}
