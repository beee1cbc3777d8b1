import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { LocationProvider, useLocation } from 'preact-iso'
import type { Language } from '../../src/config/languages.ts'
import { CommonContext } from '../context.ts'
import { type Area, areaAt, areasFor } from './areas.ts'
import { ConfirmDialog } from './components/confirm.tsx'
import { LoadFailed } from './components/loaded.tsx'
import { LoginDialog } from './components/login-dialog.tsx'
import { Toasts } from './components/toasts.tsx'
import { frameTexts } from './frame-texts.ts'
import { hasRole, session } from './session/session.ts'

interface Props {
  readonly language: Language
  readonly name: string
  readonly logo: string
}

/** The console: the navigation, the view of the address, and what may stand above it. */
export function App(props: Props) {
  const { common } = frameTexts.use()
  return (
    <CommonContext.Provider value={{ language: props.language, common }}>
      <LocationProvider scope={/^\/admin(\/|\?|$)/}>
        <Frame {...props} />
        <ConfirmDialog />
        <LoginDialog />
        <Toasts />
      </LocationProvider>
    </CommonContext.Provider>
  )
}

function Frame({ language, name, logo }: Props) {
  const t = frameTexts.use()
  const { path } = useLocation()
  const area = areaAt(path)
  const own = areasFor(session.value?.roles ?? [])
  return (
    <>
      <a class="skip" href="#main">
        {t.common.skip}
      </a>
      <header class="bar">
        <a class="brand" href="/admin">
          <img src={logo} alt="" width="28" height="28" />
          <span>{name}</span>
        </a>
        <a class="person" href="/account">
          {session.value?.username}
        </a>
      </header>
      <nav class="areas open" aria-label={t.navigation}>
        <ul>
          {own.map(({ id, path: href }) => (
            <li key={id}>
              <a href={href} {...(id === area?.id && { 'aria-current': 'page' as const })}>
                {t.areas[id]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {area && hasRole(...area.roles) ? (
          <AreaView key={area.id} area={area} language={language} />
        ) : (
          <NotFound />
        )}
      </main>
    </>
  )
}

function AreaView({ area, language }: { readonly area: Area; readonly language: Language }) {
  const [View, setView] = useState<FunctionComponent | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    area.load(language).then((loaded) => setView(() => loaded), setFailure)
  }, [area, language, tries])
  if (View) return <View />
  if (failure === null) return null
  const again = () => {
    setFailure(null)
    setTries(tries + 1)
  }
  return <LoadFailed problem={failure} retry={again} />
}

function NotFound() {
  const t = frameTexts.use()
  return (
    <>
      <h1>{t.notFound}</h1>
      <p>{t.notFoundHint}</p>
    </>
  )
}
