import { useState } from 'preact/hooks'
import { accountPath } from '../../account-path.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { OneTimePassword } from '../../components/one-time-password.tsx'
import type { Explanation } from './answered.tsx'
import { type DoneMend, useMend } from './mend.ts'
import { whyTexts } from './texts.ts'

interface Props {
  readonly answer: Explanation
  readonly again: () => void
}

/** What an administrator can do about it: what is done elsewhere first, then the buttons. */
export function Mends({ answer, again }: Props) {
  const t = whyTexts.use()
  const { code, mends, username } = answer
  const [password, setPassword] = useState<string | null>(null)
  const mend = useMend({
    username: username ?? '',
    address: answer.refusal?.address ?? '',
    again,
    showPassword: setPassword,
  })
  const step = code === null ? undefined : t.advice[code]
  return (
    <>
      {step && <p>{step}</p>}
      {code?.startsWith('limit_') && mends.length === 0 && (
        <p>
          <a href="/admin/throttle">{t.throttle}</a>
        </p>
      )}
      {mends.length === 0 && !step && <p>{answer.passes ? t.nothingToMend : t.noMend}</p>}
      {mends.length > 0 && (
        <ul class="why-mends">
          {mends.map((name, index) => (
            <li key={name}>
              {name === 'change_roles' ? (
                <a class="button quiet small" href={accountPath(username ?? '')}>
                  {t.mends[name].action}
                </a>
              ) : (
                <ActionButton
                  kind={kindOf(name, index === 0 && code !== null)}
                  isSmall
                  onClick={() => mend(name)}
                >
                  {t.mends[name].action}
                </ActionButton>
              )}
              <p class="hint">{t.mends[name].effect}</p>
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

function kindOf(mend: DoneMend, isFirst: boolean) {
  if (mend === 'remove_second_factor' || mend === 'set_password') return 'danger'
  return isFirst ? 'main' : 'quiet'
}
