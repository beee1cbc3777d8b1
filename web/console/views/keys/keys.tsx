import { api, dataOf } from '../../api/client.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { Jwks } from './jwks.tsx'
import { KeyTable } from './key-table.tsx'
import { purposes } from './stored-key.ts'
import { keysTexts } from './texts.ts'

/** The key set: what signs, what still verifies, and the public part that other services read. */
export function Keys() {
  const t = keysTexts.use()
  const keys = useLoad('', (signal) => dataOf(api.GET('/api/admin/keys', { signal })))
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
              onChanged={keys.reload}
            />
          ))
        }
      </Loaded>
      <Jwks version={keys.data?.data.map(({ kid, state }) => `${kid} ${state}`).join() ?? ''} />
    </>
  )
}
