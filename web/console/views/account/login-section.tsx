import { DefinitionList } from '../../../components/data.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { Time } from '../../components/time.tsx'
import { removeFactor } from './login-actions.ts'
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
    [t.factor, second_factor === null ? t.factorOff : t.factorOn],
    ...(second_factor === null
      ? []
      : [[t.recoveryCodes, t.codesLeft(second_factor.recovery_codes_left)] as const]),
    ...(second_factor?.confirmed_at
      ? [[t.factorSince, <Time key="factor" at={second_factor.confirmed_at} />] as const]
      : []),
    [t.devices, devices],
    [t.tokens, t.tokensIssued(tokens_issued)],
  ] as const
  return (
    <Section title={t.login}>
      <DefinitionList rows={rows} />
      {second_factor !== null && !isOwn && (
        <ActionButton kind="danger" isSmall onClick={() => removeFactor({ ...props, t })}>
          {t.removeFactor}
        </ActionButton>
      )}
    </Section>
  )
}
