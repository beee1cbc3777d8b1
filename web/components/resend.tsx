import { useCommon } from '../context.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'

interface Props {
  readonly action: string
  readonly csrf?: string | undefined
  readonly hidden?: Readonly<Record<string, string>>
  /** How long no other mail is sent; 0: one can be asked for now. */
  readonly seconds: number
}

/**
 * Asks for the mail once more. With scripts the button counts down to when that sends one; without,
 * the text says how long, and asking earlier is answered in the same way.
 */
export function Resend({ action, csrf, hidden, seconds }: Props) {
  const t = useCommon()
  return (
    <Form action={action} csrf={csrf} {...(hidden && { hidden })}>
      <div class="resend" data-resend={seconds}>
        <Button kind="quiet" name="resend" value="1">
          {t.resend}
        </Button>
        {seconds > 0 && <p class="hint">{t.resendIn(seconds)}</p>}
      </div>
    </Form>
  )
}
