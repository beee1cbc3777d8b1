import { useState } from 'preact/hooks'
import { DefinitionList } from '../../../components/data.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { SectionProps } from './account-page.tsx'
import { removeEmail } from './login-actions.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'
import { UserForm } from './user-form.tsx'

/** Who it is: name, addresses, age of the account. */
export function ProfileSection(props: SectionProps) {
  const t = accountTexts.use()
  const [isEdited, setEdited] = useState(false)
  const { account, user } = props.shown
  const edit = (
    <button type="button" class="quiet small" onClick={() => setEdited(true)}>
      {t.edit}
    </button>
  )
  return (
    <Section title={t.profile} {...(!isEdited && { aside: edit })}>
      {isEdited ? (
        <UserForm user={user} t={t} reload={props.reload} onClose={() => setEdited(false)} />
      ) : (
        <DefinitionList
          rows={[
            [t.name, <UserText key="name">{user.data.name}</UserText>],
            [t.contact, <UserText key="contact">{user.data.email}</UserText>],
            [t.verified, <Verified key="verified" {...props} />],
            [t.created, <Time key="created" at={account.data.created_at} />],
            ...(props.shown.details.imported ? [[t.imported, t.yes] as const] : []),
            [t.posts, t.postsOf(props.shown.details.posts)],
            [t.userId, user.data.id],
          ]}
        />
      )}
    </Section>
  )
}

function Verified(props: SectionProps) {
  const t = accountTexts.use()
  const own = props.shown.details.email
  // Absent in a service without the feature of addresses.
  if (!own) return <p class="muted">{t.noVerified}</p>
  const { email, ...rest } = own
  const context = { ...props, t }
  return (
    <>
      {email === null ? <p class="muted">{t.noVerified}</p> : <UserText>{email}</UserText>}
      {rest.verified_at !== null && (
        <p class="muted">
          {t.verifiedSince} <Time at={rest.verified_at} />
        </p>
      )}
      {rest.pending && <p class="muted">{t.pending(rest.pending.email)}</p>}
      {rest.undeliverable_at !== null && (
        <p class="error">
          {t.undeliverable}: <UserText>{rest.undeliverable_reason ?? ''}</UserText>{' '}
          <Time at={rest.undeliverable_at} />
        </p>
      )}
      {email !== null && (
        <ActionButton kind="quiet" isSmall onClick={() => removeEmail(context, email)}>
          {t.removeEmail}
        </ActionButton>
      )}
    </>
  )
}
