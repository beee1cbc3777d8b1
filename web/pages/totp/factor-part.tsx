import { CodeField } from '../../components/code-field.tsx'
import type { FactorPart } from '../../components/factor-fields.tsx'
import { useTexts } from '../../context.ts'

export const factorPart: FactorPart = {
  kind: 'totp',
  Proof(props) {
    const { common } = useTexts()
    return <CodeField name="totp" label={common.codeOfApp} hint={common.sixDigits} {...props} />
  },
}
