import { useState } from 'preact/hooks'
import { Notice } from '../../../components/messages.tsx'
import { ApiProblem } from '../../api/client.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { session } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import { AccountActions } from './account-actions.tsx'
import { AuditSection } from './audit-section.tsx'
import { DeletionSection } from './deletion-section.tsx'
import { IdentitiesSection } from './identities-section.tsx'
import { LoginSection } from './login-section.tsx'
import { partsOf, type SectionProps } from './parts.ts'
import { ProfileSection } from './profile-section.tsx'
import { readAccount } from './read-account.ts'
import { RolesSection } from './roles-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { standingOf } from './standing.ts'
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
