import { DefinitionList } from '../../../components/data.tsx'
import { Time } from '../../components/time.tsx'
import { FactorList } from './factor-list.tsx'
import type { SectionProps } from './parts.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

/** By what its owner signs in: password and second factor, and when that was last. */
export function LoginSection({ isOwn, ...props }: SectionProps & { readonly isOwn: boolean }) {
  const t = accountTexts.use()
  const { last_login_at, password, second_factor, devices, tokens_issued } = props.shown.details
  const rows = [
    [t.lastLogin, last_login_at === null ? t.never : <Time key="login" at={last_login_at} />],
    [t.password, password.is_set ? t.passwordSet : t.noPassword],
    ...(password.changed_at === null
      ? []
      : [[t.passwordChanged, <Time key="changed" at={password.changed_at} />] as const]),
    ...(second_factor === null ? [[t.factor, t.factorOff] as const] : []),
    ...(second_factor === null
      ? []
      : [[t.recoveryCodes, t.codesLeft(second_factor.recovery_codes_left)] as const]),
    [t.devices, devices],
    [t.tokens, t.tokensIssued(tokens_issued)],
  ] as const
  return (
    <Section title={t.login}>
      <DefinitionList rows={rows} />
      <FactorList {...props} isOwn={isOwn} />
    </Section>
  )
}
