import { ApiError } from '../../src/core/errors.ts'
import { tagged } from '../../src/core/http/changes/entity-tag.ts'
import { reauthorize } from '../../src/core/http/changes/reauthorize.ts'
import { resource } from '../../src/core/http/changes/resource.ts'
import { positiveInteger } from '../../src/core/http/lists/paging.ts'
import { callerOf } from '../../src/core/http/routes/access.ts'
import { defaultSchemes } from '../../src/core/http/routes/declaration.ts'
import { type App, idIn, named } from '../../src/core/http/schemas.ts'
import { userIdOf } from '../../src/core/policy/principal.ts'
import { any, authenticated, owner, role } from '../../src/core/policy/rules.ts'
import { mayChange, type Notes, resourceOf } from './notes.ts'
import { noteNotFound } from './problems.ts'
import type { Note } from './store.ts'

/** A scheme of a module is accepted where a route names it, or where the scheme names the route. */
const schemes = [...defaultSchemes, 'x-example', 'x-note-key'] as const
const NoteId = idIn(5)
const NoteText = named(
  'NewNote',
  {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string', minLength: 1, maxLength: 200, format: 'text' } },
  },
  { text: 'Buy milk' },
)
const NoteBody = named(
  'Note',
  {
    type: 'object',
    required: ['id', 'text', 'locked'],
    properties: {
      id: { type: 'integer' },
      text: { type: 'string' },
      locked: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  { id: 5, text: 'Buy milk', locked: false },
)

export async function routes(app: App, { notes }: { readonly notes: Notes }): Promise<void> {
  const note = resource<Note>({
    param: 'id',
    missing: noteNotFound,
    async load(text) {
      const id = positiveInteger(text)
      return id === null ? null : notes.byId(id)
    },
    facts: resourceOf,
    show,
  })

  app.post(
    '/api/notes',
    {
      config: {
        access: { rule: authenticated, schemes },
        body: 'json',
        errors: ['accessDenied'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'createNote',
        summary: 'Write a note',
        body: NoteText,
        response: { 201: NoteBody },
      },
    },
    async (request, reply) => {
      const ownerId = userIdOf(callerOf(request))
      if (ownerId === null) {
        throw new ApiError('accessDenied', { reason: { code: 'x-note-owner-absent' } })
      }
      const made = show(await notes.create(ownerId, request.body.text, reauthorize(request)))
      return reply.status(201).send(tagged(reply, made))
    },
  )

  app.get(
    '/api/notes/:id',
    {
      config: {
        access: { rule: any(owner, role('ADMIN')), schemes },
        resource: note,
        params: NoteId,
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'getNote',
        summary: 'One note',
        response: { 200: NoteBody },
      },
    },
    async (request, reply) => tagged(reply, show(note.of(request))),
  )

  app.put(
    '/api/notes/:id',
    {
      config: {
        access: { rule: mayChange, schemes },
        resource: note,
        params: NoteId,
        body: 'json',
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'updateNote',
        summary: 'Change a note; a locked one is for its owner alone',
        body: NoteText,
        response: { 200: NoteBody },
      },
    },
    async (request, reply) => {
      const how = { ...note.changeBy(request), caller: callerOf(request) }
      const { text } = request.body
      return tagged(reply, show(await notes.change(note.of(request).id, { text }, how)))
    },
  )

  app.put(
    '/api/notes/:id/lock',
    {
      config: {
        access: { rule: owner, schemes },
        resource: note,
        params: NoteId,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: 'lockNote',
        summary: 'Lock a note',
        response: { 200: NoteBody },
      },
    },
    async (request, reply) => {
      const how = { ...note.changeBy(request), caller: callerOf(request) }
      return tagged(reply, show(await notes.change(note.of(request).id, { locked: true }, how)))
    },
  )
}

function show({ id, text, locked }: Note) {
  return { id, text, locked }
}
