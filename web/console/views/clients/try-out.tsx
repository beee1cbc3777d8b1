import { useState } from 'preact/hooks'
import { Copyable } from '../../components/copyable.tsx'
import type { Client } from './client.ts'
import { clientsTexts } from './texts.ts'

/**
 * How to try a sign-in. The address asks for a code that nobody can use: its challenge is random,
 * so that it has no verifier.
 */
export function TryOut({ client }: { readonly client: Client }) {
  const t = clientsTexts.use().tryOut
  const [address] = useState(() => addressOf(client))
  if (address === null) return null
  return (
    <section>
      <h2>{t.title}</h2>
      {client.home_uri !== undefined && (
        <p>
          <a href={client.home_uri} rel="noreferrer" target="_blank">
            {t.open}
          </a>
        </p>
      )}
      <p>{t.hint}</p>
      <Copyable isBlock text={address} about={t.address} />
      <p class="muted">{t.end}</p>
    </section>
  )
}

/** Null without a redirect address: no browser is sent to it. */
function addressOf({ id, redirect_uris = [], scopes = [] }: Client): string | null {
  const [redirect_uri] = redirect_uris
  if (redirect_uri === undefined) return null
  const query = new URLSearchParams({
    ...{ client_id: id, response_type: 'code', redirect_uri, state: randomText(16) },
    scope: scopes.filter((scope) => scope !== 'offline_access').join(' '),
    ...{ code_challenge: randomText(32), code_challenge_method: 'S256' },
  })
  return `${location.origin}/oauth/authorize?${query}`
}

function randomText(bytes: number): string {
  const text = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes)))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
