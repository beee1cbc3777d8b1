import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { type App, named, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { openProof, proofOf } from '../one-time-tokens/proof.ts'
import { exampleToken, proofFields } from '../one-time-tokens/schemas.ts'
import { type Confirmed, emailPurposes } from './emails.ts'

const MailedProof = named(
  'MailedProof',
  {
    type: 'object',
    properties: proofFields,
  },
  { token: exampleToken },
)

const ConfirmedEmail = named(
  'ConfirmedEmail',
  {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string' },
      reset_token: {
        type: 'string',
        description:
          'After a change was taken back: the `token` of POST /api/public/reset/complete',
      },
      expires_at: { ...Time, description: 'When `reset_token` ends' },
    },
    additionalProperties: false,
  },
  { message: 'Email verified' },
)

export const messageOf: Readonly<Record<Confirmed, string>> = {
  verified: 'Email verified',
  changed: 'Email changed',
  restored: 'Email restored, and all logins ended',
}

/** POST /api/public/verification: executes a mailed link or code. */
export async function routes(app: App, { confirmations, emails }: Needs): Promise<void> {
  app.post(
    '/api/public/verification',
    {
      config: {
        access: { rule: anyone },
        csrf: 'exempt', // the credential is in the body
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: ['confirmationInvalid', 'emailExists'],
        examples: { answer: { message: messageOf.verified } },
      },
      schema: {
        operationId: 'verifyEmail',
        summary: 'Confirm a mail address of an account, or take its change back, by a mailed proof',
        body: MailedProof,
        response: { 200: ConfirmedEmail },
      },
    },
    async (request) => {
      const proof = proofOf(request.body)
      const confirmation = await openProof(confirmations, proof, emailPurposes)
      const { done, reset } = await emails.confirm(confirmation)
      return {
        message: messageOf[done],
        ...(reset && { reset_token: reset.token, expires_at: isoTime(reset.expiresAt) }),
      }
    },
  )
}
