import type { HomeTroubleView, HomeView, HomeViews } from '../../../src/extras/home/views.ts'
import { Actions, LinkButton } from '../../components/button.tsx'
import { useTexts } from '../../context.ts'
import type { PagesOf } from '../page.ts'
import { partOf } from '../sign-in/part.ts'

export const pages: PagesOf<HomeViews> = {
  home: {
    title: (_view, { home }) => home.title,
    heading: (_view, _texts, { name }) => name,
    Content: Home,
  },
  'home-trouble': {
    title: ({ isTooOften }, { home }) => (isTooOften ? home.tooOften : home.notNow),
    Content: Trouble,
  },
}

function Home({ view: { developers, links, signIn } }: { view: HomeView }) {
  const { home: t } = useTexts()
  return (
    <>
      <p>{t.lead}</p>
      <Actions>
        <LinkButton href="/signin">{t.signIn}</LinkButton>
        {signIn.map(({ href, label }) => (
          <LinkButton key={href} href={href} kind="quiet">
            {t.signInWith(label)}
          </LinkButton>
        ))}
      </Actions>
      {links.map(({ name, href }) => {
        const { Link, place } = partOf(name)
        return place === 'end' && <Link key={name} href={href} />
      })}
      {signIn.length > 0 && (
        <p>
          {t.sharedComputer}{' '}
          {signIn.map(({ logout, label }, index) => (
            <>
              {index > 0 && ', '}
              <a href={logout}>{t.logOutOf(label)}</a>
            </>
          ))}
          .
        </p>
      )}
      {developers && <Developers links={developers} />}
    </>
  )
}

function Developers({ links }: { links: NonNullable<HomeView['developers']> }) {
  const { home: t } = useTexts()
  return (
    <>
      <h2>{t.forDevelopers}</h2>
      <ul>
        {links.documentation && (
          <li>
            <a href={links.documentation.href}>{t.reference}</a>
          </li>
        )}
        {links.openapi && (
          <li>
            <a href={links.openapi.href}>{t.openapi}</a>
            {t.openapiFor}
          </li>
        )}
        <li>
          <a href={links.jwks.href}>{t.keys}</a>
          {t.keysFor}
        </li>
        <li>
          <a href={links.health.href}>{t.health}</a>
          {t.healthFor}
        </li>
      </ul>
      <p>
        {t.apiBefore} <code>POST /login</code>
        {t.apiAfter} <code>/</code> {t.apiEnd}
      </p>
    </>
  )
}

function Trouble({ view: { isTooOften } }: { view: HomeTroubleView }) {
  const { common, home } = useTexts()
  return (
    <>
      <p>{isTooOften ? home.waitLittle : home.inAMoment}</p>
      <Actions>
        <LinkButton href="/">{common.tryAgain}</LinkButton>
      </Actions>
    </>
  )
}
