import type { LeavingView, ProvidersView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { Table, Time } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { useTexts } from '../../context.ts'
import { Back, Outcome } from './outcome.tsx'

/** The providers that sign in to the account. */
export function Providers({ view }: { view: ProvidersView }) {
  const t = useTexts().account
  const { csrf, linked, offered } = view
  return (
    <>
      <Outcome {...view} />
      <p>{t.providersExplanation}</p>
      {linked.length === 0 ? (
        <p>{t.noneLinked}</p>
      ) : (
        <Table
          caption={t.providersTitle}
          head={[t.provider, t.linkedSince, t.action]}
          rows={linked.map(({ id, provider, issuer, since }) => {
            const name = provider === null || provider === 'default' ? issuer : provider
            return [
              name,
              <Time key="since" at={since} format="date" />,
              <Form
                key="unlink"
                action="/account/providers/unlink"
                csrf={csrf}
                hidden={{ identity: String(id) }}
              >
                <Button kind="quiet" label={t.unlinkOf(name)}>
                  {t.unlink}
                </Button>
              </Form>,
            ]
          })}
        />
      )}
      {offered.length > 0 && <h2>{t.linkMore}</h2>}
      {offered.map(({ name, label }) => (
        <Form key={name} action="/account/providers/link" csrf={csrf} hidden={{ provider: name }}>
          <Actions>
            <Button kind="quiet">{t.link(label)}</Button>
          </Actions>
        </Form>
      ))}
      <Back />
    </>
  )
}

/** Goes on to a provider: no form may lead there. */
export function Leaving({ view: { provider, url } }: { view: LeavingView }) {
  const t = useTexts().account
  return (
    <>
      <p>{t.leaving(provider)}</p>
      <Actions>
        <LinkButton href={url}>{t.goOnTo(provider)}</LinkButton>
      </Actions>
      <Back />
    </>
  )
}
