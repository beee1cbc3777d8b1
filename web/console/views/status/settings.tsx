import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Choice, TextField } from '../../components/fields.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { WithCode } from '../../components/with-code.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { settingsTexts } from './texts.ts'

type Setting = components['schemas']['SettingInForce']

const choices = ['all', 'set', 'default', 'environment', 'file'] as const
type Which = (typeof choices)[number]

/** All settings as they are in force, with their source; the filters are in the address. */
export function Settings() {
  const t = settingsTexts.use()
  const { fields, change } = useAddress()
  const { search = '', source = '' } = fields
  const which = choices.find((known) => known === source) ?? 'all'
  const [typed, setTyped] = useState(search)
  useEffect(() => setTyped(search), [search])
  const settings = useLoad('', (signal) => dataOf(api.GET('/api/admin/settings', { signal })))
  const columns: Column<Setting>[] = [
    {
      key: 'name',
      label: t.name,
      show: ({ name, description }) => (
        <>
          <code>{name}</code>
          <div class="muted about" lang="en">
            <WithCode text={description} />
          </div>
        </>
      ),
    },
    { key: 'value', label: t.value, show: (setting) => <Value setting={setting} /> },
    {
      key: 'source',
      label: t.source,
      show: ({ source: from, file }) => (
        <>
          <span class="source">{t.sourceNames[from]}</span>
          {file !== null && (
            <div class="muted">
              <code>{file}</code>
            </div>
          )}
        </>
      ),
    },
  ]
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
      </div>
      <p class="muted">{t.intro}</p>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <TextField
          name="search"
          type="search"
          label={t.search}
          value={typed}
          onChange={(text) => {
            setTyped(text)
            change({ search: text }, { replace: true })
          }}
        />
        <Choice
          name="source"
          label={t.which}
          value={which}
          options={choices.map((choice) => [choice, t.sources[choice]] as const)}
          onChange={(choice) => change({ source: choice === 'all' ? '' : choice })}
        />
      </form>
      <Loaded from={settings}>
        {({ data }) => {
          const shown = data.filter((setting) => isChosen(setting, which, search))
          return (
            <div class="settings">
              <p role="status">{t.shown(shown.length)}</p>
              <DataTable
                caption={t.caption}
                columns={columns}
                rows={shown}
                keyOf={({ name }) => name}
                empty={
                  <>
                    <p>{t.none}</p>
                    <button
                      type="button"
                      class="quiet small"
                      onClick={() => change({ search: '', source: '' })}
                    >
                      {t.showAll}
                    </button>
                  </>
                }
              />
            </div>
          )
        }}
      </Loaded>
      <p>{t.check}</p>
      <Copyable text={commandLine('config check')} about={t.checkCommand} isBlock />
    </>
  )
}

/** The value; of a secret, whether there is one. */
function Value({ setting }: { readonly setting: Setting }) {
  const t = settingsTexts.use()
  const { value, is_secret: isSecret, is_set: isSet, default: byDefault } = setting
  return (
    <>
      {isSecret ? (
        <span class="muted">{isSet ? t.hidden : t.notSet}</span>
      ) : value === null || value === '' ? (
        <span class="muted">{t.notSet}</span>
      ) : (
        <code>{value}</code>
      )}
      {(isSet || value === null) && byDefault !== '' && byDefault !== value && (
        <div class="muted" lang="en">
          {t.byDefault}: {byDefault}
        </div>
      )}
    </>
  )
}

function isChosen(setting: Setting, which: Which, search: string): boolean {
  const { name, value, description, source } = setting
  const isOfSource = which === 'all' || (which === 'set' ? setting.is_set : source === which)
  const text = `${name} ${value ?? ''} ${description}`.toLowerCase()
  const words = search.toLowerCase().split(/\s+/)
  return isOfSource && words.every((word) => text.includes(word))
}
