import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { Page } from '../../core/http/schemas.ts'
import { anyone } from '../../core/policy/rules.ts'

export const flowPage = {
  access: { rule: anyone },
  answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
} as const

/** POST, then 303 to the next step. */
export const flowForm = {
  access: flowPage.access,
  csrf: 'foreignPage',
  body: 'form',
  maxBodyBytes: fewFieldsBytes,
  answers: { 303: {} },
} as const
