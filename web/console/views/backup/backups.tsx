import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { pageOf } from '../../components/pager.tsx'
import { toast } from '../../components/toasts.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { isUnderWay } from './backup-run.ts'
import { BackupState } from './backup-state.tsx'
import { HowToRestore } from './how-to-restore.tsx'
import { Restores } from './restores.tsx'
import { RunTable } from './run-table.tsx'
import { backupsTexts } from './texts.ts'

const perPage = 20

/** When backups were made and restored, one more now, and how to restore one. */
export function Backups() {
  const t = backupsTexts.use()
  const { fields, change } = useAddress()
  const page = pageOf(fields)
  const runs = useLoad(String(page), (signal) => {
    const params = { query: { page, limit: perPage } }
    return dataOf(api.GET('/api/admin/backups', { params, signal }))
  })
  const newestState = runs.data?.data.map(({ id, state }) => `${id} ${state}`).join() ?? ''
  const status = useLoad(newestState, async (signal) => {
    const { backups, unknown } = await dataOf(api.GET('/api/admin/status', { signal }))
    return { backups, unknown }
  })
  useReloadWhile(runs.data?.data.some(isUnderWay) ?? false, runs)

  async function make(): Promise<void> {
    const { makeTitle: title, makeEffects: effects, make: action } = t
    if (!(await confirmed({ title, effects, action }))) return
    await dataOf(api.POST('/api/admin/backups'))
    toast(t.made)
    if (page === 1) runs.reload()
    else change({ page: '' })
  }
  const isEnabled = status.data?.backups?.enabled ?? false
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        {isEnabled && <ActionButton onClick={make}>{t.make}</ActionButton>}
      </div>
      <Loaded from={status}>{({ backups }) => backups && <BackupState backups={backups} />}</Loaded>
      <Loaded from={runs}>
        {({ data, total }) => (
          <>
            {(isEnabled || total > 0) && (
              <RunTable runs={data} place={{ page, limit: perPage, total }} change={change} />
            )}
            <HowToRestore
              run={
                data.find(({ id }) => String(id) === fields.restore) ??
                data.find(({ state }) => state === 'done')
              }
              isChosen={fields.restore !== undefined}
            />
          </>
        )}
      </Loaded>
      <Restores />
    </>
  )
}
