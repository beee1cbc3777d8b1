import type { FunctionComponent } from 'preact'
import type { Language } from '../../src/core/lib/languages.ts'
import type { frame } from '../languages/en/console/frame.ts'
import type { AreaTexts } from './texts.ts'

/** A part of the console: its address, who may see it, and what is loaded when it is opened. */
export interface Area {
  readonly id: AreaId
  /** The address; the area shows what lies below it too. */
  readonly path: string
  readonly roles: readonly string[]
  /** The key after `g` that opens it. */
  readonly key: string
  load(language: Language): Promise<FunctionComponent>
}

const administrators = ['ADMIN']

/** In the order of the navigation, whose texts are those of the frame (`areas`). */
export const areas: readonly Area[] = [
  {
    id: 'overview',
    path: '/admin',
    roles: administrators,
    key: 'o',
    load: loader(
      async () => (await import('./views/overview/overview.tsx')).Overview,
      async () => (await import('./views/overview/texts.ts')).overviewTexts,
    ),
  },
  {
    id: 'why',
    path: '/admin/why',
    roles: administrators,
    key: 'w',
    load: loader(
      async () => (await import('./views/why/why.tsx')).Why,
      async () => (await import('./views/why/texts.ts')).whyTexts,
    ),
  },
  {
    id: 'accounts',
    path: '/admin/accounts',
    roles: administrators,
    key: 'a',
    load: loader(
      async () => (await import('./views/accounts/accounts.tsx')).Accounts,
      async () => (await import('./views/accounts/texts.ts')).accountsTexts,
      async () => (await import('./views/account/texts.ts')).accountTexts,
    ),
  },
  {
    id: 'users',
    path: '/admin/users',
    roles: administrators,
    key: 'u',
    load: loader(
      async () => (await import('./views/users/users.tsx')).Users,
      async () => (await import('./views/users/texts.ts')).usersTexts,
    ),
  },
  {
    id: 'invitations',
    path: '/admin/invitations',
    roles: administrators,
    key: 'i',
    load: loader(
      async () => (await import('./views/invitations/invitations.tsx')).Invitations,
      async () => (await import('./views/invitations/texts.ts')).invitationsTexts,
    ),
  },
  {
    id: 'imports',
    path: '/admin/imports',
    roles: administrators,
    key: 'd',
    load: loader(
      async () => (await import('./views/imports/imports.tsx')).Imports,
      async () => (await import('./views/imports/texts.ts')).importsTexts,
    ),
  },
  {
    id: 'throttle',
    path: '/admin/throttle',
    roles: administrators,
    key: 't',
    load: loader(
      async () => (await import('./views/throttle/throttle.tsx')).Throttle,
      async () => (await import('./views/throttle/texts.ts')).throttleTexts,
    ),
  },
  {
    id: 'audit',
    path: '/admin/audit',
    roles: administrators,
    key: 'l',
    load: loader(
      async () => (await import('./views/audit/audit.tsx')).Audit,
      async () => (await import('./views/audit/texts.ts')).auditTexts,
    ),
  },
  {
    id: 'posts',
    path: '/admin/posts',
    roles: ['ADMIN', 'EDITOR'],
    key: 'p',
    load: loader(
      async () => (await import('./views/posts/posts.tsx')).Posts,
      async () => (await import('./views/posts/texts.ts')).postsTexts,
    ),
  },
  {
    id: 'mail',
    path: '/admin/mail',
    roles: administrators,
    key: 'm',
    load: loader(
      async () => (await import('./views/mail/mail.tsx')).Mail,
      async () => (await import('./views/mail/texts.ts')).mailTexts,
    ),
  },
  {
    id: 'keys',
    path: '/admin/keys',
    roles: administrators,
    key: 'k',
    load: loader(
      async () => (await import('./views/keys/keys.tsx')).Keys,
      async () => (await import('./views/keys/texts.ts')).keysTexts,
    ),
  },
  {
    id: 'webhooks',
    path: '/admin/webhooks',
    roles: administrators,
    key: 'h',
    load: loader(
      async () => (await import('./views/webhooks/webhooks.tsx')).Webhooks,
      async () => (await import('./views/webhooks/texts.ts')).webhooksTexts,
    ),
  },
  {
    id: 'clients',
    path: '/admin/clients',
    roles: administrators,
    key: 'c',
    load: loader(
      async () => (await import('./views/clients/clients.tsx')).Clients,
      async () => (await import('./views/clients/texts.ts')).clientsTexts,
    ),
  },
  {
    id: 'settings',
    path: '/admin/settings',
    roles: administrators,
    key: 's',
    load: loader(
      async () => (await import('./views/settings/settings.tsx')).Settings,
      async () => (await import('./views/settings/texts.ts')).settingsTexts,
    ),
  },
  {
    id: 'backups',
    path: '/admin/backups',
    roles: administrators,
    key: 'b',
    load: loader(
      async () => (await import('./views/backups/backups.tsx')).Backups,
      async () => (await import('./views/backups/texts.ts')).backupsTexts,
    ),
  },
  {
    id: 'doctor',
    path: '/admin/doctor',
    roles: administrators,
    key: 'e',
    load: loader(
      async () => (await import('./views/doctor/doctor.tsx')).Doctor,
      async () => (await import('./views/doctor/texts.ts')).doctorTexts,
    ),
  },
]

export type AreaId = keyof (typeof frame)['areas']

/** The areas of a person with these roles. */
export function areasFor(roles: readonly string[]): readonly Area[] {
  return areas.filter((area) => area.roles.some((role) => roles.includes(role)))
}

/** The area that an address belongs to: the one with the longest path above it. */
export function areaAt(path: string): Area | undefined {
  return areas
    .filter(
      (area) => path === area.path || (area.id !== 'overview' && path.startsWith(`${area.path}/`)),
    )
    .toSorted((one, other) => other.path.length - one.path.length)[0]
}

/** View and texts are files of their own: both come at the same time, in one language alone. */
function loader(
  view: () => Promise<FunctionComponent>,
  ...texts: readonly (() => Promise<AreaTexts<unknown>>)[]
): Area['load'] {
  return async (language) => {
    const [component] = await Promise.all([
      view(),
      ...texts.map(async (own) => (await own()).load(language)),
    ])
    return component
  }
}
