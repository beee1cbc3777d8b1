import { useEffect, useRef } from 'preact/hooks'
import { useAddress } from '../../use-address.ts'
import { Choice, TextField, TypeField, textFields } from './filter-fields.tsx'
import { type Filters, filterNames } from './query.ts'
import { auditTexts } from './texts.ts'

const timeFields = ['since', 'until'] as const
const spans = ['hour', 'day', 'week'] as const
const spanMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** Chooses the records; what is chosen stands in the address. A choice counts at once, a text with Enter. */
export function FilterForm({ filters }: { readonly filters: Filters }) {
  const t = auditTexts.use()
  const { change } = useAddress()
  const form = useRef<HTMLFormElement>(null)
  const isFiltered = Object.keys(filters).length > 0
  const hasMore = [...textFields, ...timeFields].some((name) => name !== 'target' && filters[name])

  // The address changes by links and by the history, too. A text that is being typed stays.
  const shown = useRef<Filters>({})
  useEffect(() => {
    const isNew = (name: (typeof filterNames)[number]) => filters[name] !== shown.current[name]
    for (const name of textFields.filter(isNew)) setValue(form.current, name, filters[name] ?? '')
    for (const name of timeFields.filter(isNew)) {
      setValue(form.current, name, localTime(filters[name]))
    }
    shown.current = filters
  }, [JSON.stringify(filters)])

  /** What the fields hold; a time that was not touched stays as the address has it. */
  function typed(): Readonly<Record<string, string>> {
    if (!form.current) return {}
    const data = new FormData(form.current)
    const textOf = (name: string) => String(data.get(name) ?? '').trim()
    const texts = textFields.map((name) => [name, textOf(name)])
    const times = timeFields.map((name) => [name, utcTime(textOf(name), filters[name])])
    return Object.fromEntries([...texts, ...times])
  }

  const choose = (wanted: Readonly<Record<string, string>> = {}) =>
    change({ ...typed(), ...wanted, cursor: '', record: '' })

  return (
    <form
      ref={form}
      aria-label={t.filters.label}
      onSubmit={(event) => {
        event.preventDefault()
        choose()
      }}
    >
      <div class="filters">
        <TypeField value={filters.type ?? ''} onChoose={(type) => choose({ type })} />
        <Choice
          name="outcome"
          value={filters.outcome ?? ''}
          words={t.outcomes}
          onChoose={(outcome) => choose({ outcome })}
        />
        <Choice
          name="level"
          value={filters.level ?? ''}
          words={t.levels}
          onChoose={(level) => choose({ level })}
        />
        <TextField name="target" />
      </div>
      <div class="audit-filters">
        <details open={hasMore}>
          <summary>{t.filters.more}</summary>
          <div class="filters">
            <TextField name="actor" />
            <TextField name="address" />
            <TextField name="request_id" />
            {timeFields.map((name) => (
              <div class="field" key={name}>
                <label for={`filter-${name}`}>{t.filters[name]}</label>
                <input id={`filter-${name}`} name={name} type="datetime-local" step="1" />
              </div>
            ))}
          </div>
        </details>
        <div class="pager">
          <button type="submit" class="small">
            {t.filters.apply}
          </button>
          {spans.map((span) => (
            <button
              key={span}
              type="button"
              class="quiet small"
              onClick={() =>
                choose({ since: new Date(Date.now() - spanMs[span]).toISOString(), until: '' })
              }
            >
              {t.filters.spans[span]}
            </button>
          ))}
          {isFiltered && (
            <button
              type="button"
              class="quiet small"
              onClick={() => {
                form.current?.reset()
                choose(Object.fromEntries(filterNames.map((name) => [name, ''])))
              }}
            >
              {t.filters.clear}
            </button>
          )}
        </div>
      </div>
    </form>
  )
}

function setValue(form: HTMLFormElement | null, name: string, value: string): void {
  const field = form?.elements.namedItem(name)
  if (field instanceof HTMLInputElement && field.value !== value) field.value = value
}

/** A time of the address as a field shows it, in the zone of the reader: `2026-03-01T01:00:00`. */
export function localTime(iso: string | undefined): string {
  const date = new Date(iso ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

/** What was typed, in UTC; the time of the address stays as it is while the field shows it. */
export function utcTime(typed: string, present = ''): string {
  if (typed === localTime(present)) return present
  const date = new Date(typed)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
