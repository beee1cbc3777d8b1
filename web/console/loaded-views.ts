import type { FunctionComponent } from 'preact'
import type { Language } from '../../src/core/lib/languages.ts'
import type { Area } from './area.ts'

const views = new Map<Area, FunctionComponent>()

/** The view of an area; null until it is loaded. */
export function loadedView(area: Area): FunctionComponent | null {
  return views.get(area) ?? null
}

export async function loadView(area: Area, language: Language): Promise<void> {
  views.set(area, await area.load(language))
}
