import { useState } from 'preact/hooks'
import { accountPath } from '../../account-path.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { OneTimePassword } from '../../components/one-time-password.tsx'
import type { Explanation } from './answered.tsx'
import { type DoneRemedy, useRemedy } from './remedy.ts'
import { whyTexts } from './texts.ts'

interface Props {
  readonly answer: Explanation
  readonly again: () => void
}

/** What an administrator can do about it: what is done elsewhere first, then the buttons. */
export function Remedies({ answer, again }: Props) {
  const t = whyTexts.use()
  const { code, remedies, username } = answer
  const [password, setPassword] = useState<string | null>(null)
  const remedy = useRemedy({
    username: username ?? '',
    address: answer.refusal?.address ?? '',
    again,
    showPassword: setPassword,
  })
  const step = code === null ? undefined : t.advice[code]
  return (
    <>
      {step && <p>{step}</p>}
      {code?.startsWith('limit_') && remedies.length === 0 && (
        <p>
          <a href="/admin/throttle">{t.throttle}</a>
        </p>
      )}
      {remedies.length === 0 && !step && <p>{answer.passes ? t.noRemedyNeeded : t.noRemedy}</p>}
      {remedies.length > 0 && (
        <ul class="why-remedies">
          {remedies.map((name, index) => (
            <li key={name}>
              {name === 'change_roles' ? (
                <a class="button quiet small" href={accountPath(username ?? '')}>
                  {t.remedies[name].action}
                </a>
              ) : (
                <ActionButton
                  kind={kindOf(name, index === 0 && code !== null)}
                  isSmall
                  onClick={() => remedy(name)}
                >
                  {t.remedies[name].action}
                </ActionButton>
              )}
              <p class="hint">{t.remedies[name].effect}</p>
            </li>
          ))}
        </ul>
      )}
      {password !== null && username !== null && (
        <OneTimePassword
          username={username}
          password={password}
          onClose={() => {
            setPassword(null)
            again()
          }}
        />
      )}
    </>
  )
}

function kindOf(remedy: DoneRemedy, isFirst: boolean) {
  if (remedy === 'remove_second_factor' || remedy === 'set_password') return 'danger'
  return isFirst ? 'main' : 'quiet'
}
