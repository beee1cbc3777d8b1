import type { SignInForm } from '../../../src/modules/pages/sign-in/views.ts'
import { Problem } from '../../components/messages.tsx'
import { useTexts } from '../../context.ts'

/** What is wrong, and when the next attempt is possible. */
export function Wrong({
  text,
  form: { retryAfterSeconds },
  isFieldFocused = true,
}: {
  readonly text: string | null
  readonly form: SignInForm
  readonly isFieldFocused?: boolean
}) {
  const { common } = useTexts()
  if (text === null) return null
  return (
    <Problem isFieldFocused={isFieldFocused}>
      <p>{text}</p>
      {retryAfterSeconds !== null && <p>{common.tryAgainIn(retryAfterSeconds)}</p>}
    </Problem>
  )
}

/** A link that gives the sign-in up. */
export function Anew({ form: { begin } }: { readonly form: SignInForm }) {
  const t = useTexts().signIn
  return (
    <p>
      <a href={begin}>{t.beginAnew}</a>
    </p>
  )
}
