import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { Jwks } from './jwks.tsx'
import { KeyTable } from './key-table.tsx'
import { purposes, type StoredKey } from './stored-key.ts'
import { keysTexts } from './texts.ts'

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
          purposes.map((purpose) => (
            <KeyTable
              key={purpose}
              purpose={purpose}
              keys={data.filter((key) => key.purpose === purpose)}
              onChanged={changed}
            />
          ))
        }
      </Loaded>
      <Jwks version={keys.data?.data.map(({ kid, state }) => `${kid} ${state}`).join() ?? ''} />
    </>
  )
}
