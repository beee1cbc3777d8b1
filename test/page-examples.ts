import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Frame } from '../src/core/http/pages/frame.ts'
import { frameAssetsIn } from '../src/core/http/pages/frame-assets.ts'
import { builtPages, loadRenderer } from '../src/core/http/pages/renderer.ts'
import type { ViewName, Views } from '../src/core/http/pages/views.ts'
import { type Language, languages } from '../src/core/lib/languages.ts'

const frameAssets = frameAssetsIn(builtPages)
const pages = join(import.meta.dirname, '../web/pages')

export interface Shown {
  readonly name: ViewName
  readonly example: string
  readonly language: Language
  readonly text: string
}

/** A frame with all that it can have, as of an organization with a help text and links. */
export function frameIn(language: Language): Frame {
  return {
    language,
    name: 'Gatehouse',
    files: {
      style: frameAssets.address('pages.css'),
      module: frameAssets.address('pages.js'),
      scriptOf: (folder) => frameAssets.address(`${folder}.js`),
      consoleStyle: frameAssets.address('console.css'),
      consoleModule: frameAssets.address('console.js'),
      icon: frameAssets.address('icon.svg'),
      brandingStyle: null,
      logo: null,
    },
    base: '',
    own: { headline: null, help: null, links: [] },
    here: '/signin?flow=an-example',
    person: null,
  }
}

/** Renders each example of each page of a folder, in each language. */
export async function shownExamples(folder = pages, built = builtPages): Promise<Shown[]> {
  const { render } = await loadRenderer(built)
  return Object.entries(await allExamples(folder)).flatMap(([view, all]) =>
    Object.entries(all).flatMap(([example, data]) =>
      languages.map((language) => {
        const name = view as ViewName // its keys are those of Views
        // Pages of the own account, whose header says who is signed in.
        const isOwn = name.startsWith('account') && name !== 'account-deleted'
        const frame = { ...frameIn(language), ...(isOwn && { person: 'ann' }) }
        const text = render(name, data as Views[typeof name], frame)
        return { name, example, language, text }
      }),
    ),
  )
}

/** The examples beside the pages, by view: several folders may show states of one view. */
export async function allExamples(
  folder = pages,
): Promise<Readonly<Record<string, Record<string, unknown>>>> {
  const all = await Promise.all(
    foldersWith('examples.ts', folder).map((one) => import(join(folder, one, 'examples.ts'))),
  )
  const byView: Record<string, Record<string, unknown>> = {}
  for (const { examples } of all) {
    for (const [view, states] of Object.entries<object>(examples)) {
      byView[view] = { ...byView[view], ...states }
    }
  }
  return byView
}

/** The folders of pages that have a file of this name. */
export function foldersWith(name: string, folder = pages): string[] {
  return globSync(`**/${name}`, { cwd: folder }).map(dirname).sort()
}
