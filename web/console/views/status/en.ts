import { plural } from '../../../languages/words.ts'

export const settings = {
  title: 'Settings',
  intro:
    'As they are in force on the node that answers. They are changed in its environment or files, with a restart; secrets are never shown.',
  search: 'Search',
  which: 'Which',
  sources: {
    all: 'All',
    set: 'Those that are set',
    default: 'By default',
    environment: 'From the environment',
    file: 'From a file',
  },
  caption: 'Settings in force',
  name: 'Setting',
  value: 'Value',
  source: 'Source',
  sourceNames: { default: 'default', environment: 'environment', file: 'file' },
  byDefault: 'By default',
  hidden: 'set, hidden',
  notSet: 'not set',
  shown: plural('en', { one: '# setting', other: '# settings' }),
  none: 'No setting matches.',
  showAll: 'Show all settings',
  check: 'Before a restart, this says whether changed settings are good:',
  checkCommand: 'the command',
}
