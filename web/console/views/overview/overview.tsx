import { DefinitionList } from '../../../components/data.tsx'
import { api, dataOf } from '../../api/client.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { overviewTexts } from './texts.ts'

/** The first view: whether all is well, without a click. */
export function Overview() {
  const t = overviewTexts.use()
  const statistics = useLoad('', (signal) => dataOf(api.GET('/api/admin/statistics', { signal })))
  return (
    <>
      <h1>{t.title}</h1>
      <Loaded from={statistics}>
        {({ users, sessions }) => (
          <DefinitionList
            rows={[
              [t.users, users],
              [t.sessions, sessions],
            ]}
          />
        )}
      </Loaded>
    </>
  )
}
