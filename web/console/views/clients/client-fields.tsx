import { CheckField, Choice, TextArea, TextField } from '../../components/fields.tsx'
import { type ClientDraft, clientTypes, consents, hasSector } from './client.ts'
import { clientsTexts } from './texts.ts'

interface Props {
  readonly draft: ClientDraft
  readonly isNew: boolean
  readonly change: (changes: Partial<ClientDraft>) => void
  readonly problemOf: (field: string) => string | undefined
}

/** The fields of an application: first what each needs, then what few need. */
export function ClientFields({ draft, isNew, change, problemOf }: Props) {
  const { form: t, types } = clientsTexts.use()
  const isRedirected = !['device', 'machine'].includes(draft.type)
  return (
    <>
      <Choice
        name="type"
        label={t.type}
        hint={t.typeHints[draft.type]}
        value={draft.type}
        options={clientTypes.map((type) => [type, types[type]] as const)}
        onChange={(type) => change({ type, ...(type === 'machine' && { scopes: '' }) })}
        problem={problemOf('type')}
      />
      {isNew && (
        <TextField
          name="id"
          label={t.id}
          hint={t.idHint}
          isRequired
          maxLength={64}
          value={draft.id}
          onChange={(id) => change({ id })}
          problem={problemOf('id')}
        />
      )}
      <TextField
        name="name"
        label={t.name}
        hint={t.nameHint}
        maxLength={100}
        value={draft.name}
        onChange={(name) => change({ name })}
        problem={problemOf('name')}
      />
      {isRedirected && (
        <TextArea
          name="redirect-uris"
          label={t.redirectUris}
          hint={t.redirectHint}
          rows={3}
          value={draft.redirectUris}
          onChange={(redirectUris) => change({ redirectUris })}
          problem={problemOf('redirect_uris')}
        />
      )}
      <TextField
        name="allow"
        label={t.allow}
        hint={t.allowHint}
        value={draft.allow}
        onChange={(allow) => change({ allow })}
        problem={problemOf('allow')}
      />
      <CheckField
        label={t.twoFactors}
        isChecked={draft.needsTwoFactors}
        onChange={(needsTwoFactors) => change({ needsTwoFactors })}
      />
      <details>
        <summary>{t.more}</summary>
        <MoreFields {...{ draft, change, problemOf }} />
      </details>
    </>
  )
}

function MoreFields({ draft, change, problemOf }: Omit<Props, 'isNew'>) {
  const { form: t } = clientsTexts.use()
  return (
    <>
      <Choice
        name="consent"
        label={t.consent}
        value={draft.consent}
        options={consents.map((when) => [when, t.consents[when]] as const)}
        onChange={(consent) => change({ consent })}
        problem={problemOf('consent')}
      />
      <TextField
        name="scopes"
        label={t.scopes}
        hint={t.scopesHint}
        value={draft.scopes}
        onChange={(scopes) => change({ scopes })}
        problem={problemOf('scopes')}
      />
      <TextField
        name="operator"
        label={t.operator}
        maxLength={100}
        value={draft.operator}
        onChange={(operator) => change({ operator })}
        problem={problemOf('operator')}
      />
      <TextField
        name="home"
        type="url"
        label={t.home}
        value={draft.homeUri}
        onChange={(homeUri) => change({ homeUri })}
        problem={problemOf('home_uri')}
      />
      <TextArea
        name="logout-uris"
        label={t.logoutUris}
        rows={2}
        value={draft.logoutUris}
        onChange={(logoutUris) => change({ logoutUris })}
        problem={problemOf('post_logout_redirect_uris')}
      />
      <TextField
        name="backchannel"
        type="url"
        label={t.backchannel}
        hint={t.backchannelHint}
        value={draft.backchannelUri}
        onChange={(backchannelUri) => change({ backchannelUri })}
        problem={problemOf('backchannel_logout_uri')}
      />
      <CheckField
        label={t.api}
        hint={t.apiHint}
        isChecked={draft.hasApi}
        onChange={(hasApi) => change({ hasApi })}
      />
      {hasSector(draft) && (
        <CheckField
          label={t.pairwise}
          hint={problemOf('subject') ?? t.pairwiseHint}
          isChecked={draft.isPairwise}
          onChange={(isPairwise) => change({ isPairwise })}
        />
      )}
      {draft.type === 'web' && (
        <CheckField
          label={t.noChallenge}
          hint={t.noChallengeHint}
          isChecked={draft.sendsNoChallenge}
          onChange={(sendsNoChallenge) => change({ sendsNoChallenge })}
        />
      )}
    </>
  )
}
