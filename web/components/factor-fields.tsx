import type { ComponentChildren } from 'preact'
import { useTexts } from '../context.ts'
import { Actions, Button } from './button.tsx'
import { CodeField } from './code-field.tsx'
import { Field } from './field.tsx'

interface Props {
  readonly isWrong: boolean
  readonly hasFocus: boolean
  /** Before the button. */
  readonly children?: ComponentChildren
}

/** Asks for a code of the authenticator app, or a recovery code in its place, and goes on. */
export function FactorFields({ isWrong, hasFocus, children }: Props) {
  const { common, federation } = useTexts()
  return (
    <>
      <CodeField
        name="totp"
        label={common.codeOfApp}
        hint={common.sixDigits}
        isWrong={isWrong}
        hasFocus={hasFocus}
      />
      <Field
        name="recovery_code"
        label={federation.secondFactor.orRecoveryCode}
        hint={common.recoveryCodeHint}
        autocomplete="off"
        isWrong={isWrong}
      />
      {children}
      <Actions>
        <Button>{common.goOn}</Button>
      </Actions>
    </>
  )
}
