import { api, dataOf } from '../../api/client.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
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
