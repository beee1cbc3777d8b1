import type { ProfileView, ProfileViews } from '../../../src/extras/profile/views.ts'
import { own } from '../own-account/examples.ts'
import type { ExamplesOf } from '../page.ts'

const input = { kind: 'text', choices: [], isRequired: false, value: '', problem: null } as const

const view: ProfileView = {
  ...own,
  fixed: [
    {
      name: 'department',
      labels: { en: 'Department', de: 'Abteilung' },
      value: 'Sales',
    },
    { name: 'remote', labels: { en: 'Works remotely', de: 'Arbeitet entfernt' }, value: true },
    { name: 'desk', labels: { en: 'Desk', de: 'Platz' }, value: null },
  ],
  shown: '{}',
  inputs: [
    { ...input, name: 'profile_motto', labels: { en: 'Motto', de: 'Motto' }, isRequired: true },
    {
      ...{ ...input, name: 'profile_size', labels: { en: 'Size', de: 'Größe' } },
      ...{ kind: 'choice', choices: ['S', 'M', 'L'], value: 'M' },
    },
    {
      ...{ ...input, name: 'profile_newsletter', kind: 'flag', value: '1' },
      labels: { en: 'Newsletter', de: 'Rundbrief' },
    },
  ],
}

export const examples: ExamplesOf<ProfileViews> = {
  'account-profile': {
    plain: view,
    saved: { ...view, done: 'profile' },
    'only of administrators': { ...view, inputs: [] },
    wrong: {
      ...view,
      problem: { code: 'profile_wrong', field: 'profile_motto' },
      inputs: view.inputs.map((one, index) => ({
        ...one,
        problem: index === 0 ? 'missing' : index === 1 ? 'taken' : null,
      })),
    },
  },
}
