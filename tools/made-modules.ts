import type { Plugin } from 'vite'
import { isLanguage } from '../src/core/config/languages.ts'
import { eventGroups } from '../src/core/events/types.ts'
import { assertDistinctEvents, type KnownEvent } from '../src/core/module/registry.ts'
import { modules } from '../src/modules.ts'

const prefix = '\0made:'

/**
 * Makes the modules `made:...` of the console from values of src/, so that a fact of a feature stands
 * in the folder of the feature alone. Each language is a module of its own, and no module holds more
 * than the console shows. web/console/made.d.ts has their types.
 */
export const madeModules: Plugin = {
  name: 'modules made of values of src/',
  resolveId: (id) => (id.startsWith('made:') ? `\0${id}` : null),
  async load(id) {
    if (!id.startsWith(prefix)) return null
    const [kind, language] = id.slice(prefix.length).split('-')
    if (kind !== 'events') throw new Error(`nothing makes the module ${id.slice(1)}`)
    const types = await assertDistinctEvents(modules)
    const made = isLanguage(language)
      ? { events: Object.fromEntries(types.map(({ name, words }) => [name, words[language]])) }
      : choicesOf(types)
    return Object.entries(made)
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
      .join('\n')
  },
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
