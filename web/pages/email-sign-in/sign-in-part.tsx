import { LinkButton } from '../../components/button.tsx'
import { useTexts } from '../../context.ts'
import type { SignInPart } from '../sign-in/part.ts'

export const signInPart: SignInPart = {
  name: 'byMail',
  place: 'other ways',
  Link: ({ href }) => (
    <LinkButton href={href} kind="quiet">
      {useTexts().emailSignIn.byMail.title}
    </LinkButton>
  ),
}
