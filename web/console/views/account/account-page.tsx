import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Notice } from '../../../components/messages.tsx'
import { accountsPath } from '../../account-path.ts'
import { ApiProblem } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { session } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import { RoleChoice } from '../accounts/role-choice.tsx'
import { AccountActions } from './account-actions.tsx'
import type { ActionContext } from './action.ts'
import { AuditSection } from './audit-section.tsx'
import { deleteAccount, deleteUser } from './delete-actions.ts'
import { IdentitiesSection } from './identities-section.tsx'
import { LoginSection } from './login-section.tsx'
import { partsOf, type SectionProps } from './parts.ts'
import { ProfileSection } from './profile-section.tsx'
import { readAccount } from './read-account.ts'
import { Section } from './section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { standingOf } from './standing.ts'
import { changeRoles } from './standing-actions.ts'
import { StandingMarks } from './standing-marks.tsx'
import { accountTexts } from './texts.ts'
import { ThrottleSection } from './throttle-section.tsx'

/** One account on one page. */
export function AccountPage({ username }: { readonly username: string }) {
  const t = accountTexts.use()
  const [version, setVersion] = useState(0)
  const load = useLoad(String(version), (signal) => readAccount(username, signal))
  const reload = () => setVersion((before) => before + 1)
  const isGone = load.problem instanceof ApiProblem && load.problem.status === 404
  return (
    <>
      <p class="back">
        <a href="/admin/accounts">{t.toList}</a>
      </p>
      <h1>
        <UserText>{username}</UserText>
      </h1>
      {isGone ? (
        <Gone username={username} />
      ) : (
        <Loaded from={load}>
          {(shown) => (
            <>
              <Sections shown={shown} reload={reload} />
              <AuditSection username={username} version={version} />
              {username !== session.value?.username && (
                <DeletionSection shown={shown} reload={reload} />
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

function Gone({ username }: { readonly username: string }) {
  const t = accountTexts.use()
  return (
    <div class="empty">
      <p>{t.none(username)}</p>
      <p class="muted">{t.noneHint}</p>
      <a class="button" href={`/admin/accounts?${new URLSearchParams({ search: username })}`}>
        {t.search}
      </a>
    </div>
  )
}

function Sections(props: SectionProps) {
  const t = accountTexts.use()
  const { account, details } = props.shown
  const isOwn = account.data.username === session.value?.username
  const standing = standingOf({
    ...account.data,
    locked_until: details.locked_until,
    must_change: details.password.must_change,
  })
  return (
    <>
      <StandingMarks states={standing} />
      {standing.map(
        (state) => t.stateHints[state] !== '' && <p key={state}>{t.stateHints[state]}</p>,
      )}
      {account.data.deletion_at !== null && (
        <p>
          {t.deletionAt}: <Time at={account.data.deletion_at} />
        </p>
      )}
      {isOwn && (
        <Notice kind="plain">
          <p>
            {t.isOwn} <a href="/account">{t.ownPage}</a>.
          </p>
        </Notice>
      )}
      {details.last_administrator && (
        <Notice kind="warning">
          <p>{t.lastAdministrator}</p>
        </Notice>
      )}
      <AccountActions {...props} isOwn={isOwn} />
      <div class="tiles">
        <ProfileSection {...props} />
        <LoginSection {...props} isOwn={isOwn} />
        <RolesSection key={account.etag} {...props} />
        <ThrottleSection {...props} />
        <IdentitiesSection {...props} />
        {partsOf('AccountSection').map((Other, index) => (
          <Other key={index} {...props} />
        ))}
      </div>
      <SessionsSection {...props} />
    </>
  )
}

/** The roles, and the choice of others. */
export function RolesSection(props: SectionProps) {
  const t = accountTexts.use()
  const before: readonly string[] = props.shown.account.data.roles
  // What is chosen and not saved; null: nothing.
  const [chosen, setChosen] = useState<readonly string[] | null>(null)
  const roles = chosen ?? before
  const isChanged = roles.length !== before.length || roles.some((role) => !before.includes(role))
  async function save(): Promise<void> {
    await changeRoles({ ...props, t }, roles)
    setChosen(null)
  }
  return (
    <Section title={t.roles}>
      <RoleChoice legend={t.roles} isLegendHidden chosen={roles} onChoose={setChosen} />
      <p class="hint">{t.rolesHint}</p>
      <ActionButton kind="quiet" disabled={!isChanged} onClick={save}>
        {t.saveRoles}
      </ActionButton>
    </Section>
  )
}

/** What cannot be undone, at the end of the page; the username must be typed first. */
export function DeletionSection(props: SectionProps) {
  const t = accountTexts.use()
  const { route } = useLocation()
  const context: ActionContext = { ...props, t }
  const leaving = (remove: (context: ActionContext) => Promise<boolean>) => async () => {
    try {
      if (await remove(context)) route(accountsPath)
    } catch (problem) {
      // Another administrator has changed it: what is shown next is what would be deleted.
      if (problem instanceof ApiProblem && problem.status === 412) props.reload()
      throw problem
    }
  }
  return (
    <Section title={t.deletion}>
      <div class="actions">
        <ActionButton kind="danger" isSmall onClick={leaving(deleteAccount)}>
          {t.deleteAccount}
        </ActionButton>
        <ActionButton kind="danger" isSmall onClick={leaving(deleteUser)}>
          {t.deleteUser}
        </ActionButton>
      </div>
    </Section>
  )
}
