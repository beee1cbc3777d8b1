import type { FactorPart } from '../../../web/components/factor-fields.tsx'
import { Field } from '../../../web/components/field.tsx'
import { useTexts } from '../../../web/context.ts'

export const factorPart: FactorPart = {
  kind: 'note_code',
  Proof: (props) => (
    <Field name="note_code" label={useTexts().badge.note} autocomplete="off" {...props} />
  ),
}
