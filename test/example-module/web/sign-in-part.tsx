import { LinkButton } from '../../../web/components/button.tsx'
import { useTexts } from '../../../web/context.ts'
import type { SignInPart } from '../../../web/pages/sign-in/part.ts'

export const signInPart: SignInPart = {
  name: 'badge',
  place: 'other ways',
  Link: ({ href }) => (
    <LinkButton href={href} kind="quiet">
      {useTexts().badge.signIn}
    </LinkButton>
  ),
}
