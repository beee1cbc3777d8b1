import { useEffect, useRef } from 'preact/hooks'
import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { Copyable } from '../../components/copyable.tsx'
import type { ClientWithSecret } from './client.ts'
import { clientsTexts } from './texts.ts'

interface Props {
  readonly made: ClientWithSecret
  readonly onDone: () => void
}

/** What the application needs; a secret is here alone, so no key closes it by mistake. */
export function ToPaste({ made, onDone }: Props) {
  const { paste: t } = clientsTexts.use()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { id, scopes = [], secret } = made
  const copyable = (text: string, label: string) => <Copyable text={text} about={label} />
  return (
    <Notice kind={secret === undefined ? 'good' : 'warning'}>
      <h2 ref={heading} tabIndex={-1}>
        {t.title}
      </h2>
      <DefinitionList
        rows={[
          [t.issuer, copyable(location.origin, t.issuer)],
          [
            t.discovery,
            copyable(`${location.origin}/.well-known/openid-configuration`, t.discovery),
          ],
          [t.id, copyable(id, t.id)],
          ...(secret === undefined ? [] : [[t.secret, copyable(secret, t.secret)] as const]),
          ...(scopes.length === 0
            ? []
            : [[t.scopes, copyable(scopes.join(' '), t.scopes)] as const]),
        ]}
      />
      {secret !== undefined && <p>{t.once}</p>}
      <button type="button" onClick={onDone}>
        {t.done}
      </button>
    </Notice>
  )
}
