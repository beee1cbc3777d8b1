import { groups } from 'made:events'
import { auditTexts } from './texts.ts'

/** The filters that are typed. */
export const textFields = ['actor', 'target', 'address', 'request_id'] as const
type TextFilter = (typeof textFields)[number]

// Spread, because the types of JSX want one that is known. The key `/` leads to a search.
const types = { text: { type: 'text' }, search: { type: 'search' } } as const

/** A text that the records are searched by. */
export function TextField({ name }: { readonly name: TextFilter }) {
  const t = auditTexts.use()
  return (
    <div class="field">
      <label for={`filter-${name}`}>{t.filters[name]}</label>
      <input
        id={`filter-${name}`}
        name={name}
        {...(name === 'target' ? types.search : types.text)}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
    </div>
  )
}

interface ChoiceProps {
  readonly value: string
  readonly onChoose: (value: string) => void
}

/** One type, or the types of a group; several of an address that are no group stay as they are. */
export function TypeField({ value, onChoose }: ChoiceProps) {
  const t = auditTexts.use()
  const known = [...Object.values(groups).map((types) => types.join(',')), ...Object.keys(t.events)]
  const types = Object.entries(t.events).toSorted(([, one], [, other]) => one.localeCompare(other))
  return (
    <div class="field">
      <label for="filter-type">{t.fields.type}</label>
      <select
        id="filter-type"
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">{t.filters.all}</option>
        {value !== '' && !known.includes(value) && <option value={value}>{value}</option>}
        <optgroup label={t.filters.groups}>
          {Object.entries(groups).map(([name, members]) => (
            <option key={name} value={members.join(',')}>
              {t.groups[name as keyof typeof groups]}
            </option>
          ))}
        </optgroup>
        <optgroup label={t.filters.types}>
          {types.map(([type, words]) => (
            <option key={type} value={type}>
              {words}
            </option>
          ))}
        </optgroup>
      </select>
    </div>
  )
}

/** One of few words. */
export function Choice({
  name,
  value,
  words,
  onChoose,
}: ChoiceProps & {
  readonly name: 'outcome' | 'level'
  readonly words: Readonly<Record<string, string>>
}) {
  const t = auditTexts.use()
  return (
    <div class="field">
      <label for={`filter-${name}`}>{t.fields[name]}</label>
      <select
        id={`filter-${name}`}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        <option value="">{t.filters.all}</option>
        {Object.entries(words).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
