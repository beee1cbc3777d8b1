import { errorTable } from '../../error-table.ts'
import { named, Text } from '../schemas.ts'

const error = { type: 'string', description: 'What is wrong: one text for each error' } as const

/** The body of most errors. Spec section 7. */
export const ErrorBody = named(
  'Error',
  { type: 'object', required: ['error'], properties: { error }, additionalProperties: false },
  { error: errorTable.accessDenied.error },
)

export const ValidationError = named(
  'ValidationError',
  {
    type: 'object',
    required: ['error', 'details'],
    properties: {
      error,
      details: {
        type: 'array',
        items: named(
          'ErrorDetail',
          {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: {
                type: 'array',
                items: Text,
                description: 'The names down to the wrong field',
              },
              message: Text,
            },
            additionalProperties: false,
          },
          { path: ['email'], message: 'must be an e-mail address' },
        ),
      },
    },
    additionalProperties: false,
  },
  {
    error: errorTable.validationFailed.error,
    details: [{ path: ['email'], message: 'must be an e-mail address' }],
  },
)

export const InternalError = named(
  'InternalError',
  {
    type: 'object',
    required: ['error', 'message'],
    properties: {
      error,
      message: { type: 'string', description: 'What failed; in development mode alone' },
    },
    additionalProperties: false,
  },
  { error: errorTable.internal.error, message: 'the disk is full' },
)
