import type { ComponentChildren } from 'preact'
import { useCommon, useFrame } from '../context.ts'
import { languageNames } from '../languages/languages.ts'

interface Props {
  readonly title: string
  readonly heading: string
  readonly hasProblem: boolean
  readonly refresh: string | null
  readonly isWide: boolean
  readonly children: ComponentChildren
}

/** All of a page but its content. It has no style and no script of its own: the policy forbids them. */
export function Frame({ title, heading, hasProblem, refresh, isWide, children }: Props) {
  const t = useCommon()
  const { files, language, name } = useFrame()
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${hasProblem ? t.errorTitle(title) : title} - ${name}`}</title>
        <link rel="stylesheet" href={files.style} />
        {files.brandingStyle !== null && <link rel="stylesheet" href={files.brandingStyle} />}
        {files.logo === null ? (
          <link rel="icon" type="image/svg+xml" href={files.icon} />
        ) : (
          <link rel="icon" href={files.logo} />
        )}
        {refresh !== null && <meta http-equiv="refresh" content={`0; url=${refresh}`} />}
        <script type="module" src={files.module} />
      </head>
      <body class={isWide ? 'wide' : undefined}>
        <a class="skip" href="#main">
          {t.skip}
        </a>
        <Head />
        <main id="main" tabIndex={-1}>
          <h1>{heading}</h1>
          {children}
        </main>
        <Foot />
      </body>
    </html>
  )
}

function Head() {
  const t = useCommon()
  const { base, files, name, own, person } = useFrame()
  return (
    <header class="frame">
      <a class="brand" href={`${base}/`}>
        <img src={files.logo ?? files.icon} alt="" width="32" height="32" />
        <span>{name}</span>
      </a>
      {person !== null && (
        <p class="person">
          <a href={`${base}/account`}>{t.signedInAs(person)}</a>{' '}
          <a href={`${base}/signout`}>{t.signOut}</a>
        </p>
      )}
      {own.headline !== null && <p class="headline">{own.headline}</p>}
    </header>
  )
}

function Foot() {
  const t = useCommon()
  const { base, here, language, own } = useFrame()
  return (
    <footer>
      {own.help !== null && <p class="help">{own.help}</p>}
      {own.links.length > 0 && (
        <ul class="links">
          {own.links.map(({ href, text }) => (
            <li key={href}>
              <a href={href.startsWith('/') ? base + href : href}>{text}</a>
            </li>
          ))}
        </ul>
      )}
      {here !== null && (
        <form class="languages" method="post" action="/language" aria-label={t.language}>
          <input type="hidden" name="return_to" value={here} />
          {Object.entries(languageNames).map(([tag, text]) => (
            <button
              key={tag}
              type="submit"
              class="link"
              name="language"
              value={tag}
              lang={tag}
              {...(tag === language && { 'aria-current': 'true' as const })}
            >
              {text}
            </button>
          ))}
        </form>
      )}
    </footer>
  )
}
