import { useState } from 'preact/hooks'
import { typedNumber } from '../../../../src/core/lib/typed-number.ts'
import { DefinitionList } from '../../../components/data.tsx'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { SectionProps } from '../account/parts.ts'
import type { Details } from '../account/read-account.ts'
import { Section } from '../account/section.tsx'
import { accountTexts } from '../account/texts.ts'

type Profile = Details['profile']
type Field = Profile['fields'][number]
type Value = Profile['profile'][string]

/** The fields of PROFILE_FILE with their values; nothing where there are no fields. */
export function AccountSection({ shown, reload }: SectionProps) {
  const t = accountTexts.use()
  const language = useLanguage()
  const [isEdited, setEdited] = useState(false)
  const { fields, profile } = shown.details.profile
  if (fields.length === 0) return null
  const textOf = (value: Value | undefined) =>
    typeof value === 'boolean' ? (value ? t.yes : t.no) : String(value ?? t.noValue)
  const edit = (
    <button type="button" class="quiet small" onClick={() => setEdited(true)}>
      {t.edit}
    </button>
  )
  return (
    <Section title={t.profileFields} {...(!isEdited && { aside: edit })}>
      {isEdited ? (
        <ProfileForm
          username={shown.account.data.username}
          values={profile}
          fields={fields}
          reload={reload}
          onClose={() => setEdited(false)}
        />
      ) : (
        <DefinitionList
          rows={fields.map(
            ({ labels, name }) =>
              [labels[language], <UserText key={name}>{textOf(profile[name])}</UserText>] as const,
          )}
        />
      )}
    </Section>
  )
}

interface FormProps {
  readonly username: string
  readonly values: Profile['profile']
  readonly fields: readonly Field[]
  readonly reload: () => void
  readonly onClose: () => void
}

/** Sends the fields that were changed; an empty field removes its value. */
function ProfileForm({ username, values, fields, reload, onClose }: FormProps) {
  const t = accountTexts.use()
  const language = useLanguage()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})

  async function save(): Promise<void> {
    const changed = fields.filter(({ name }) => typed[name] !== undefined)
    const profile = Object.fromEntries(
      changed.map((field) => [field.name, typedValue(field, typed[field.name]?.trim() ?? '')]),
    )
    if (changed.length > 0) {
      const params = { path: { username } }
      const path = '/api/admin/accounts/{username}/profile'
      await dataOf(api.PUT(path, { params, body: { profile } }))
      toast(t.saved)
      reload()
    }
    onClose()
  }
  return (
    <ActionForm action={t.save} cancel={onClose} onSubmit={save}>
      {(problemOf) =>
        fields.map(({ labels, name, constraints }) => (
          <TextField
            key={name}
            name={`profile-${name}`}
            label={labels[language]}
            {...hintOf(constraints)}
            value={typed[name] ?? String(values[name] ?? '')}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
            problem={problemOf(`profile.${name}`)}
          />
        ))
      }
    </ActionForm>
  )
}

function hintOf({ enum: choices, type }: Field['constraints']): { readonly hint?: string } {
  if (Array.isArray(choices)) return { hint: choices.join(', ') }
  return type === 'boolean' ? { hint: 'true, false' } : {}
}

/** What is not of the type stays a text, which the API refuses. */
function typedValue({ type }: Field, text: string): Value | null {
  if (text === '') return null
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return type === 'string' ? text : (typedNumber(text) ?? text)
}
