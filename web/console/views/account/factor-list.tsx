import { ActionButton } from '../../components/action-button.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { removeFactor } from './login-actions.ts'
import type { SectionProps } from './parts.ts'
import { accountTexts } from './texts.ts'

/** The second factors of an account. The page /account removes own factors. */
export function FactorList({ isOwn, ...props }: SectionProps & { readonly isOwn: boolean }) {
  const t = accountTexts.use()
  return (
    <ul class="plain">
      {props.shown.factors.map((factor) => (
        <li key={factor.id}>
          <p>
            {t.factorKind(factor.kind)} <UserText>{factor.name ?? ''}</UserText>
          </p>
          {factor.created_at !== null && (
            <p class="muted">
              {t.factorSince} <Time at={factor.created_at} />
            </p>
          )}
          {factor.last_used_at !== null && (
            <p class="muted">
              {t.factorUsed} <Time at={factor.last_used_at} />
            </p>
          )}
          {!isOwn && (
            <ActionButton
              kind="danger"
              isSmall
              onClick={() => removeFactor({ ...props, t }, factor)}
            >
              {t.removeFactor(factor.kind)}
            </ActionButton>
          )}
        </li>
      ))}
    </ul>
  )
}
