import { named, Text } from '../../core/http/schemas.ts'

/** What the library answers, for OpenAPI. */

export const TokenAnswer = named(
  'ApplicationTokens',
  {
    type: 'object',
    required: ['access_token', 'token_type', 'expires_in'],
    properties: {
      access_token: Text,
      token_type: { type: 'string', enum: ['Bearer', 'DPoP'] },
      expires_in: { type: 'integer', description: 'Seconds' },
      id_token: { type: 'string', description: 'With the scope openid' },
      refresh_token: { type: 'string', description: 'Each use gives the next one' },
      scope: Text,
    },
  },
  {
    access_token: 'Yd2tLC9hKZ3aQzW8vXfN1gQ2hGcA5vKp2mQwXb3nTz8',
    token_type: 'Bearer',
    expires_in: 900,
    scope: 'openid profile',
  },
)
export const Claims = named(
  'Userinfo',
  { type: 'object', required: ['sub'], properties: { sub: Text }, additionalProperties: true },
  { sub: '7', preferred_username: 'ann', groups: ['USER'] },
)
export const Pushed = named(
  'PushedRequest',
  {
    type: 'object',
    required: ['request_uri', 'expires_in'],
    properties: { request_uri: Text, expires_in: { type: 'integer' } },
  },
  { request_uri: 'urn:ietf:params:oauth:request_uri:Q2hGcA5vKp2mQwXb3nTz8', expires_in: 60 },
)
export const DeviceAnswer = named(
  'DeviceCodes',
  {
    type: 'object',
    required: ['device_code', 'user_code', 'verification_uri', 'expires_in'],
    properties: {
      device_code: Text,
      user_code: Text,
      verification_uri: Text,
      verification_uri_complete: Text,
      expires_in: { type: 'integer', description: 'Seconds' },
    },
  },
  {
    device_code: 'Yd2tLC9hKZ3aQzW8vXfN1gQ2hGcA5vKp2mQwXb3nTz8',
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://auth.example.com/device',
    expires_in: 600,
  },
)
export const Metadata = named(
  'ProviderMetadata',
  {
    type: 'object',
    required: ['issuer'],
    properties: { issuer: Text },
    additionalProperties: true,
  },
  { issuer: 'https://auth.example.com' },
)
