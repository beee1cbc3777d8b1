import type { ComponentChildren } from 'preact'
import { useTexts } from '../context.ts'
import { Actions, Button } from './button.tsx'
import { CodeField } from './code-field.tsx'
import { Field } from './field.tsx'

interface Props {
  readonly isWrong: boolean
  readonly hasFocus: boolean
  /** False: the account has no authenticator app. */
  readonly asksCode?: boolean
  /** Before the button. */
  readonly children?: ComponentChildren
}

/** Asks for a code of the authenticator app, or a recovery code in its place, and goes on. */
export function FactorFields({ isWrong, hasFocus, asksCode = true, children }: Props) {
  const { common, federation } = useTexts()
  return (
    <>
      {asksCode && (
        <CodeField
          name="totp"
          label={common.codeOfApp}
          hint={common.sixDigits}
          isWrong={isWrong}
          hasFocus={hasFocus}
        />
      )}
      <Field
        name="recovery_code"
        label={
          asksCode ? federation.secondFactor.orRecoveryCode : federation.secondFactor.recoveryCode
        }
        hint={common.recoveryCodeHint}
        autocomplete="off"
        isWrong={isWrong}
        hasFocus={hasFocus && !asksCode}
      />
      {children}
      <Actions>
        <Button>{common.goOn}</Button>
      </Actions>
    </>
  )
}
