import { useTexts } from '../../context.ts'
import type { SignInPart } from '../sign-in/part.ts'

export const signInPart: SignInPart = {
  name: 'signUp',
  place: 'end',
  Link({ href }) {
    const { noAccount, createOne } = useTexts().signUp
    return (
      <p>
        {noAccount} <a href={href}>{createOne}</a>
      </p>
    )
  },
}
