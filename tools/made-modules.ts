import type { Plugin } from 'vite'
import { eventGroups, namesOfEvent } from '../src/core/events/types.ts'
import { isLanguage, type Language } from '../src/core/lib/languages.ts'
import type { Module } from '../src/core/module/module.ts'
import {
  assertDistinctEvents,
  assertDistinctReasons,
  errorsOf,
  type KnownEvent,
} from '../src/core/module/registry.ts'

const prefix = '\0made:'

/**
 * Makes the modules `made:...` of the console from values of src/, so that a fact of a feature stands
 * in the folder of the feature alone. Each language is a module of its own, and no module holds more
 * than the console shows. web/console/made.d.ts has their types.
 */
export const madeModules = (modules: readonly Module[]): Plugin => ({
  name: 'modules made of values of src/',
  resolveId: (id) => (id.startsWith('made:') ? `\0${id}` : null),
  async load(id) {
    if (!id.startsWith(prefix)) return null
    const [kind, language] = id.slice(prefix.length).split('-')
    const make = makers[kind ?? '']
    if (!make) throw new Error(`nothing makes the module ${id.slice(1)}`)
    return Object.entries(await make(modules, isLanguage(language) ? language : null))
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
      .join('\n')
  },
})

type Maker = (
  modules: readonly Module[],
  language: Language | null,
) => Promise<Readonly<Record<string, unknown>>>

const makers: Readonly<Record<string, Maker>> = {
  async events(modules, language) {
    const types = await assertDistinctEvents(modules)
    return language ? { events: wordsOf(types, language) } : choicesOf(types)
  },
  async overview(modules, language) {
    const types = await assertDistinctEvents(modules)
    const listed = types.filter(({ inOverview }) => inOverview !== undefined)
    return { events: wordsOf(listed, language ?? 'en') }
  },
  async errors(modules, language) {
    const all = Object.values(errorsOf(modules))
    return {
      errors: Object.fromEntries(all.map(({ error, words }) => [error, words?.[language ?? 'en']])),
    }
  },
  async reasons(modules, language) {
    const all = [...(await assertDistinctReasons(modules))]
    const of = language ?? 'en'
    return {
      reasons: Object.fromEntries(
        all.map(([code, { words }]) => [code, { en: undefined, ...words }[of]]),
      ),
      advice: Object.fromEntries(all.map(([code, { advice }]) => [code, advice?.[of]])),
    }
  },
}

function wordsOf(types: readonly KnownEvent[], language: Language) {
  return Object.fromEntries(
    types.flatMap(({ name, words }) =>
      namesOfEvent(types, name).map((each) => [each, words[language]]),
    ),
  )
}

/** The events of each group of the audit view, and those that the overview lists. */
function choicesOf(types: readonly KnownEvent[]) {
  const namesOf = (isChosen: (type: KnownEvent) => boolean) =>
    types.filter(isChosen).map(({ name }) => name)
  return {
    groups: Object.fromEntries(
      eventGroups.map((group) => [group, namesOf(({ groups }) => groups.includes(group))]),
    ),
    inOverview: namesOf(({ inOverview }) => inOverview === true),
    inOverviewIfByAnother: namesOf(({ inOverview }) => inOverview === 'ifByAnother'),
  }
}
