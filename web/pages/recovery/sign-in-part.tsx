import { useTexts } from '../../context.ts'
import type { SignInPart } from '../sign-in/part.ts'

export const signInPart: SignInPart = {
  name: 'reset',
  place: 'button',
  Link: ({ href }) => <a href={href}>{useTexts().reset.title}</a>,
}
