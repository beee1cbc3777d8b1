import { render } from 'preact'
import { isLanguage, type Language } from '../../src/core/lib/languages.ts'
import { App } from './app.tsx'
import { areaAt } from './areas.ts'
import { frameTexts } from './frame-texts.ts'
import { loadView } from './loaded-views.ts'
import { hasRole, restoreSession } from './session/session.ts'

/** Fills the page of the console when its texts, the session and the first view are loaded. */
export async function start(): Promise<void> {
  const root = document.getElementById('console')
  if (!root) return
  const { lang } = document.documentElement
  const language = isLanguage(lang) ? lang : 'en'
  // Without an answer the frame stands, and each view says what is wrong.
  await Promise.all([frameTexts.load(language), restoreSession().catch(() => null)])
  await loadFirst(language)
  root.replaceChildren()
  const { name = '', logo = '' } = root.dataset
  render(<App language={language} name={name} logo={logo} />, root)
}

/** Loads the view of the address. Rendering the view reports a failed load. */
async function loadFirst(language: Language): Promise<void> {
  const area = areaAt(location.pathname)
  if (area && hasRole(...area.roles)) await loadView(area, language).catch(() => {})
}
