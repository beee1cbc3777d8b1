import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import type { SectionProps } from './parts.ts'
import type { Details } from './read-account.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

type Identity = Details['identities'][number]

/** The identities of providers that sign in to the account. */
export function IdentitiesSection({ shown, reload }: SectionProps) {
  const t = accountTexts.use()
  const { identities } = shown.details

  async function remove(identity: Identity): Promise<void> {
    const name = nameOf(identity)
    const isConfirmed = await confirmed({
      title: t.removeIdentityTitle(name),
      effects: t.removeIdentityEffects,
      action: t.removeIdentity,
      isDangerous: true,
    })
    if (!isConfirmed) return
    const { username } = shown.account.data
    const params = { path: { username, id: identity.id } }
    await dataOf(api.DELETE('/api/admin/accounts/{username}/identities/{id}', { params }))
    toast(t.identityRemoved(name))
    reload()
  }
  return (
    <Section title={t.identities}>
      {identities.length === 0 && <p class="muted">{t.noIdentities}</p>}
      <ul class="plain">
        {identities.map((identity) => (
          <li key={identity.id}>
            <p>
              <UserText>{nameOf(identity)}</UserText>
            </p>
            <p class="muted">
              {t.linked} <Time at={identity.created_at} />
            </p>
            <ActionButton kind="danger" isSmall onClick={() => remove(identity)}>
              {t.removeIdentity}
            </ActionButton>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function nameOf({ provider, issuer }: Identity): string {
  return provider ?? issuer
}
