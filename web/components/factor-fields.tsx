import { files } from 'found:factor-part.tsx'
import type { ComponentChildren, FunctionComponent } from 'preact'
import { useTexts } from '../context.ts'
import { Actions, Button } from './button.tsx'
import { Field, type FieldProps } from './field.tsx'

/** The field of a kind of factor: `factor-part.tsx` of the folder of its module. */
export interface FactorPart {
  /** The name of the kind, and of the field. */
  readonly kind: string
  readonly Proof: FunctionComponent<Pick<FieldProps, 'problem' | 'isWrong' | 'hasFocus'>>
}

interface Props {
  readonly isWrong: boolean
  readonly hasFocus: boolean
  /** Of the account. Empty: only a recovery code, and what has a form of its own. */
  readonly kinds?: readonly string[]
  /** Before the button. */
  readonly children?: ComponentChildren
}

export function factorParts(kinds: readonly string[]): readonly FactorPart[] {
  return files.map(({ factorPart }) => factorPart).filter(({ kind }) => kinds.includes(kind))
}

/** Asks for the proof of a factor, or a recovery code in its place, and goes on. */
export function FactorFields({ isWrong, hasFocus, kinds = ['totp'], children }: Props) {
  const { common, federation } = useTexts()
  const t = federation.secondFactor
  const parts = factorParts(kinds)
  const recoveryCode = (
    <Field
      name="recovery_code"
      label={t.recoveryCode}
      hint={common.recoveryCodeHint}
      autocomplete="off"
      isWrong={isWrong}
      hasFocus={hasFocus && parts.length === 0}
    />
  )
  return (
    <>
      {parts.map(({ kind, Proof }, index) => (
        <Proof key={kind} isWrong={isWrong} hasFocus={hasFocus && index === 0} />
      ))}
      {parts.length === 0 ? (
        recoveryCode
      ) : (
        // After a mistake, either field may hold it.
        <details open={isWrong}>
          <summary>{t.lostPhone}</summary>
          {recoveryCode}
        </details>
      )}
      {children}
      <Actions>
        <Button>{common.verify}</Button>
      </Actions>
    </>
  )
}
