import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { KeyTable } from './key-table.tsx'
import { purposes, type StoredKey } from './stored-key.ts'
import { keysTexts } from './texts.ts'

const jwksPath = '/.well-known/jwks.json'

/** The public keys, as services that verify tokens read them; read again when `version` changes. */
export function Jwks({ version }: { readonly version: string }) {
  const t = keysTexts.use()
  const jwks = useLoad(version, (signal) =>
    // The copy that a browser keeps may be older than a rotation of a moment ago.
    dataOf(api.GET(jwksPath, { signal, cache: 'no-cache' })),
  )
  return (
    <section>
      <h2>{t.publicKeys}</h2>
      <Loaded from={jwks}>
        {(data) =>
          data.keys.length === 0 ? (
            <p>{t.jwksNone}</p>
          ) : (
            <>
              <p>{t.jwksHint}</p>
              <p>
                <Copyable text={`${location.origin}${jwksPath}`} about={t.jwksAddress} />
              </p>
              <details>
                <summary>{t.jwksText}</summary>
                <pre>{JSON.stringify(data, null, 2)}</pre>
              </details>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

/** The key set: what signs, what still verifies, and the public part that other services read. */
export function Keys() {
  const t = keysTexts.use()
  const keys = useLoad('', (signal) => dataOf(api.GET('/api/admin/keys', { signal })))
  const [leaked, setLeaked] = useState<string | null>(null)
  const isAwaited = ({ kid, can_retire: canRetire }: StoredKey) => kid === leaked && !canRetire
  useReloadWhile(keys.data?.data.some(isAwaited) ?? false, keys)

  function changed(key: string | null): void {
    setLeaked(key)
    keys.reload()
  }
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
      </div>
      <p class="muted">{t.intro}</p>
      <Loaded from={keys}>
        {({ data }) =>
          purposes
            .map((purpose) => ({ purpose, keys: data.filter((key) => key.purpose === purpose) }))
            // Without the provider there is no key of ID tokens.
            .filter((one) => one.purpose !== 'identity' || one.keys.length > 0)
            .map(({ purpose, keys: ofPurpose }) => (
              <KeyTable key={purpose} purpose={purpose} keys={ofPurpose} onChanged={changed} />
            ))
        }
      </Loaded>
      <Jwks version={keys.data?.data.map(({ kid, state }) => `${kid} ${state}`).join() ?? ''} />
    </>
  )
}
