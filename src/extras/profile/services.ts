import { hook, service } from '../../core/module/service.ts'
import type { AccountClaims, ClaimPlace } from '../../modules/accounts/account-claims.ts'
import type { AccountDetail } from '../../modules/accounts/account-detail.ts'
import { profileField } from './account-field.ts'
import { mayRead } from './field.ts'
import { sections } from './personal-data.ts'
import { createProfileFields, type ProfileFields } from './profile-fields.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import { exampleValues, ProfileBody, showField } from './schemas.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly profileFields: ProfileFields
    readonly profileValues: Profiles
  }
}

export const services = [
  service({
    makes: ['profileFields'],
    create: async (needs) => ({ profileFields: await createProfileFields(needs) }),
  }),
  service({
    needs: ['profileFields'],
    makes: ['profileValues'],
    create: (needs) => ({ profileValues: createProfiles(needs) }),
  }),
]

export const hooks = [
  hook('accountDetail', ['profileValues'], profileDetail),
  hook('accountClaims', ['profileValues'], ({ profileValues }) => claimsOf(profileValues)),
  hook('accountField', ['profileValues'], ({ profileValues }) => profileField(profileValues)),
  hook('personSections', [], () => sections),
  hook('waysIn', ['profileFields'], ({ profileFields }) => async () => {
    const { length } = profileFields.now().fields.filter((field) => mayRead(field, 'owner'))
    return length === 0 ? {} : { profile_fields: length }
  }),
]

function claimsOf(profiles: Profiles): AccountClaims {
  const names = (place: ClaimPlace) =>
    profiles.fields().flatMap(({ claims, name }) => (claims.includes(place) ? [name] : []))
  return {
    names,
    async of(userId, place) {
      const wanted = names(place)
      const values = Object.entries(await profiles.of(userId, 'owner'))
      return Object.fromEntries(values.filter(([name]) => wanted.includes(name)))
    },
  }
}

function profileDetail({ profileValues }: { readonly profileValues: Profiles }): AccountDetail {
  return {
    name: 'profile',
    schema: ProfileBody,
    example: { profile: exampleValues, fields: [] },
    read: async ({ userId }) => ({
      profile: await profileValues.of(userId, 'admin'),
      fields: profileValues.fields().map(showField),
    }),
  }
}
