import { errorWith } from '../../core/http/declared-error.ts'
import { exactly, Flag, Id, named, Text } from '../../core/http/schemas.ts'
import { fieldReaders, fieldTypes, fieldWriters, type ProfileField } from './field.ts'
import { profileValueTaken } from './problems.ts'

export const exampleValues = { department: 'Sales' }

/** Names no field: PROFILE_FILE may change while the service runs. */
export const ValuesInputSchema = {
  type: 'object',
  maxProperties: 100,
  additionalProperties: true,
  description:
    'Values by field of PROFILE_FILE: texts, numbers, true or false. Values that are not given stay; null removes a value',
} as const

const Values = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  description: 'Values by field of PROFILE_FILE; fields without a value are absent',
} as const

const exampleField = {
  ...{ name: 'department', type: 'string', labels: { en: 'Department', de: 'Abteilung' } },
  constraints: { type: 'string', minLength: 1, maxLength: 80, format: 'text' },
  ...{ read: 'owner', write: 'admin', unique: false, required: false },
}

const Field = named(
  'ProfileField',
  exactly({
    name: Text,
    type: { type: 'string', enum: fieldTypes },
    labels: exactly({ en: Text, de: Text }),
    constraints: {
      type: 'object',
      additionalProperties: true,
      description: 'The JSON Schema of a value, with its type',
    },
    read: { type: 'string', enum: fieldReaders },
    write: { type: 'string', enum: fieldWriters },
    unique: Flag,
    required: Flag,
  }),
  exampleField,
)

export const ProfileBody = named(
  'Profile',
  exactly({
    profile: Values,
    fields: { type: 'array', items: Field, description: 'That the caller may read' },
  }),
  {
    profile: exampleValues,
    fields: [exampleField],
  },
)

export const ProfileInput = named(
  'ProfileChange',
  { type: 'object', required: ['profile'], properties: { profile: ValuesInputSchema } },
  { profile: exampleValues },
)

export const PublicProfileBody = named('PublicProfile', exactly({ user_id: Id, profile: Values }), {
  user_id: 7,
  profile: { motto: 'Onward' },
})

/** Names the field of the value. */
export const valueTaken = errorWith(
  profileValueTaken,
  { field: Text },
  { field: 'employee_number' },
)

export function showField(field: ProfileField) {
  const { name, type, labels, schema, read, write, isUnique, isRequired } = field
  return {
    ...{ name, type, labels: { ...labels }, constraints: { ...schema }, read, write },
    ...{ unique: isUnique, required: isRequired },
  }
}
