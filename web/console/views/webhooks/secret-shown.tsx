import { useEffect, useRef } from 'preact/hooks'
import { Notice } from '../../../components/messages.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { webhooksTexts } from './texts.ts'

interface Props {
  readonly secret: string
  readonly onDone: () => void
}

/** A new secret, until the reader says that it is stored: no key closes it by mistake. */
export function SecretShown({ secret, onDone }: Props) {
  const { secret: t } = webhooksTexts.use()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Notice kind="warning">
      <h2 ref={heading} tabIndex={-1}>
        {t.title}
      </h2>
      <p>{t.intro}</p>
      <Copyable text={secret} about={t.about} isBlock />
      <button type="button" onClick={onDone}>
        {t.done}
      </button>
    </Notice>
  )
}
