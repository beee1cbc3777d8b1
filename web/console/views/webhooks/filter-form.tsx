import { useEffect, useState } from 'preact/hooks'
import { Choice, TextField } from '../../components/fields.tsx'
import { type DeliveryFilters, deliveryStates, type Span, spans } from './delivery-filters.ts'
import { webhooksTexts } from './texts.ts'

interface Props {
  readonly filters: DeliveryFilters
  readonly change: (fields: Readonly<Record<string, string>>) => void
}

/** The filters of deliveries: a choice counts at once, a text by Enter or when it is left. */
export function FilterForm({ filters, change }: Props) {
  const { deliveries: t } = webhooksTexts.use()
  const [typed, setTyped] = useState(filters.type)
  useEffect(() => setTyped(filters.type), [filters.type])
  const states = deliveryStates.map((state) => [state, t.states[state]] as const)
  const times = (Object.keys(spans) as Span[]).map((span) => [span, t.spans[span]] as const)
  const applyTyped = () => typed.trim() !== filters.type && change({ type: typed.trim() })
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        applyTyped()
      }}
      onFocusOut={applyTyped}
    >
      <Choice
        name="state"
        label={t.state}
        value={filters.state}
        options={[['', t.anyState], ...states]}
        onChange={(state) => change({ state })}
      />
      <Choice
        name="since"
        label={t.since}
        value={filters.span}
        options={[['', t.anyTime], ...times]}
        onChange={(since) => change({ since })}
      />
      <TextField name="type" label={t.type} value={typed} onChange={setTyped} />
    </form>
  )
}
