import type { ComponentChildren } from 'preact'
import { useFrame, useTexts } from '../context.ts'

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
  const t = useTexts().common
  const { files, language, name } = useFrame()
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${hasProblem ? t.errorTitle(title) : title} - ${name}`}</title>
        <link rel="stylesheet" href={files.style} />
        {files.look !== null && <link rel="stylesheet" href={files.look} />}
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
      </body>
    </html>
  )
}

function Head() {
  const t = useTexts().common
  const { files, name, person } = useFrame()
  return (
    <header class="frame">
      <a class="brand" href="/">
        <img src={files.logo ?? files.icon} alt="" width="28" height="28" />
        {name}
      </a>
      {person !== null && (
        <a class="person" href="/account">
          {t.signedInAs(person)}
        </a>
      )}
    </header>
  )
}
