import type { ComponentChildren } from 'preact'
import { useFrame, useTexts } from '../context.ts'
import { Actions } from './button.tsx'
import { Form } from './form.tsx'

interface Props {
  readonly action: string
  readonly csrf: string
  readonly hidden?: Readonly<Record<string, string>>
  /** Options of the ceremony as JSON of WebAuthn level 3. */
  readonly options: object
  readonly ceremony: 'create' | 'get'
  /** Whether the browser offers passkeys in the field of the username too. */
  readonly isOfferedInField?: boolean
  readonly label: string
  readonly kind?: 'main' | 'quiet'
  /** Shown in place of the form without scripts, or without passkeys in the browser. */
  readonly withoutPasskeys?: string
  readonly children?: ComponentChildren
}

/** A form that a passkey fills in, shown by the script if the browser knows passkeys. */
export function PasskeyForm({ options, ceremony, isOfferedInField = false, ...props }: Props) {
  const { action, csrf, hidden = {}, label, kind = 'main', withoutPasskeys, children } = props
  const { files } = useFrame()
  const t = useTexts().passkeys
  return (
    <>
      {withoutPasskeys !== undefined && <p id="without-passkeys">{withoutPasskeys}</p>}
      <div
        hidden
        data-passkey={JSON.stringify(options)}
        data-ceremony={ceremony}
        data-failed={t.failed}
        {...(isOfferedInField && { 'data-in-field': '' })}
      >
        <Form action={action} csrf={csrf} hidden={{ ...hidden, passkey: '' }}>
          {children}
          <Actions>
            <button type="button" {...(kind !== 'main' && { class: kind })}>
              {label}
            </button>
          </Actions>
        </Form>
        <p class="hint" role="status" />
        <script type="module" src={files.scriptOf('passkeys')} />
      </div>
    </>
  )
}
