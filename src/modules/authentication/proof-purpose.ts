import type { FastifyRequest } from 'fastify'
import { callerOf } from '../../core/http/routes/access.ts'
import type { ProtectedChange } from './proof-kinds.ts'

/** The session or token of the caller: a proof that one of them asked for is of no use to another. */
export function callerName(request: FastifyRequest): string {
  const { credential, subject } = callerOf(request)
  if (credential.scheme === 'session') return `${subject} session ${credential.sessionId}`
  if (credential.scheme === 'bearer') return `${subject} token ${credential.claims.jti}`
  return `${subject} ${credential.scheme}`
}

/** What a proof is for whose kind binds each proof to its purpose. */
export function proofPurpose(request: FastifyRequest, change: ProtectedChange): string {
  return `proof of ${change} by ${callerName(request)}`
}
