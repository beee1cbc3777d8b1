import { useState } from 'preact/hooks'
import { DefinitionList } from '../../../components/data.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { partsOf, type SectionProps } from './parts.ts'
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
            ...partsOf('AccountAddress').map(
              (Address, index) => [t.verified, <Address key={index} {...props} />] as const,
            ),
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
