import type { AccountView } from '../../../src/extras/own-account/pages/views.ts'
import { Actions, Button, LinkButton } from '../../components/button.tsx'
import { DefinitionList, Time } from '../../components/data.tsx'
import { Form } from '../../components/form.tsx'
import { Select } from '../../components/select.tsx'
import { useTexts } from '../../context.ts'
import { languageNames } from '../../languages/languages.ts'
import { Outcome } from './parts.tsx'

/** Who the person is here, and the ways to the other pages. */
export function Overview({ view }: { view: AccountView }) {
  const { account: t, common } = useTexts()
  const { email, hasProviders, languages, secondFactor } = view
  const sections = [
    ['/account/email', t.emailTitle, t.emailSummary],
    ['/account/password', t.passwordTitle, t.passwordSummary],
    ['/account/second-factor', t.factorTitle, t.factorSummary],
    ...(secondFactor ? [['/account/recovery-codes', t.codesTitle, t.codesSummary]] : []),
    ['/account/sessions', t.sessionsTitle, t.sessionsSummary],
    ['/account/notices', t.noticesTitle, t.noticesSummary],
    ...(hasProviders ? [['/account/providers', t.providersTitle, t.providersSummary]] : []),
    ['/account/data', t.dataTitle, t.dataSummary],
    ['/account/delete', t.deletionTitle, t.deletionSummary],
  ] as const
  return (
    <>
      <Outcome {...view} />
      <h2>{t.profile}</h2>
      <DefinitionList
        rows={[
          [common.username, view.username],
          [t.name, view.name],
          [t.contact, view.contact],
          [t.verifiedEmail, email ?? t.noEmail],
          [t.factorTitle, secondFactor ? t.on : t.off],
          [t.since, <Time key="since" at={view.since} format="date" />],
        ]}
      />
      <p class="hint">{t.twoAddresses}</p>
      <nav aria-label={t.navigation}>
        <ul>
          {sections.map(([href, name, summary]) => (
            <li key={href}>
              <a href={href}>{name}</a>
              <span class="muted"> {summary}</span>
            </li>
          ))}
        </ul>
      </nav>
      <h2>{common.language}</h2>
      <Form action="/account/language" csrf={view.csrf}>
        <Select
          name="language"
          label={t.languageLabel}
          value={view.language ?? ''}
          options={[
            { value: '', text: t.languageOfBrowser },
            ...languages.map((language) => ({
              value: language,
              text: languageNames[language],
              lang: language,
            })),
          ]}
        />
        <Actions>
          <Button kind="quiet">{t.save}</Button>
        </Actions>
      </Form>
      <Actions>
        <LinkButton href="/signout" kind="quiet">
          {t.signOut}
        </LinkButton>
      </Actions>
    </>
  )
}
