import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { Page } from '../../core/http/schemas.ts'
import { anyone } from '../../core/policy/rules.ts'

/** What the page of a flow declares: anyone may open it, and it shows a step or leads to one. */
export const flowPage = {
  access: { rule: anyone },
  answers: { 200: { [mediaTypes.html]: Page }, 303: {} },
} as const

/** What the form of a flow declares: POST, then 303 to its next step. */
export const flowForm = {
  access: flowPage.access,
  csrf: 'foreignPage',
  body: 'form',
  maxBodyBytes: fewFieldsBytes,
  answers: { 303: {} },
} as const
