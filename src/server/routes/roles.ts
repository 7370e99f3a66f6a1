import type { FastifyInstance } from 'fastify'
import { PERMISSIONS } from '../../accounts/directory/permissions.ts'
import type { WantedRole } from '../../accounts/directory/roles.ts'
import { createRole, deleteRole, listRoles, updateRole } from '../../accounts/directory/roles.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'
import type { ServerContext } from '../context.ts'
import { audit, changesOf } from '../instance/audit.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, exactly, flag, listOf, TOOL_PERMISSIONS, text, the } from '../openapi/shapes.ts'

const PROPERTIES: Record<string, JsonSchema> = {
  name: { type: 'string', maxLength: 100, description: '2 to 30 letters, digits, _ and -; kept in small letters' },
  description: { type: 'string', maxLength: 500 },
  permissions: {
    type: 'array',
    maxItems: 100,
    items: { type: 'string', maxLength: 50 },
    description: `of ${PERMISSIONS.join(', ')}`,
  },
  toolPermissions: {
    ...TOOL_PERMISSIONS,
    properties: {
      mode: { enum: ['category', 'tool'] },
      allowed: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 100 } },
    },
    description: 'the categories image, video, audio, document and file, or ids of tools; null: all tools',
  },
}

const EXAMPLE = {
  name: 'retoucher',
  description: 'Pictures only',
  permissions: ['tools:use', 'files:own'],
  toolPermissions: { mode: 'category', allowed: ['image'] },
}

/** Custom roles, for users who manage security. */
export async function roleRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { accounts } = context
  const config = { access: 'security:manage' as const }
  const target = (id: string) => ({ target: { type: 'role', id } })
  app.get(
    '/api/v1/roles',
    {
      config: { access: 'audit:read' },
      ...operation('account', 'All roles, with what they hold', { answer: exactly({ roles: listOf(the('Role')) }) }),
    },
    async () => ({ roles: await listRoles(accounts) }),
  )
  app.post<{ Body: WantedRole }>(
    '/api/v1/roles',
    {
      config,
      ...operation('account', 'Create a role', {
        body: { type: 'object', required: ['name', 'permissions'], properties: PROPERTIES, examples: [EXAMPLE] },
        status: 201,
        answer: exactly({
          ...{ id: text, name: text, description: text, permissions: listOf(text) },
          ...{ toolPermissions: TOOL_PERMISSIONS, isBuiltin: flag },
        }),
      }),
    },
    async (request, reply) => {
      const role = await createRole(accounts, request.caller, request.body)
      const { id, name, description, permissions, toolPermissions } = role
      await audit(context, request, 'ROLE_CREATED', { ...target(id), details: { name, permissions } })
      return reply.code(201).send({ id, name, description, permissions, toolPermissions, isBuiltin: false })
    },
  )
  app.put<{ Params: { id: string }; Body: WantedRole }>(
    '/api/v1/roles/:id',
    {
      config,
      ...operation('account', 'Change a role; takes effect at once', {
        body: { type: 'object', properties: PROPERTIES, examples: [{ description: 'Pictures and nothing else' }] },
        answer: DONE,
      }),
    },
    async (request) => {
      const { before, after } = await updateRole(accounts, request.caller, request.params.id, request.body)
      const { id, name, permissions } = after
      const changes = changesOf(before, after, ['name', 'description', 'permissions', 'toolPermissions'])
      await audit(context, request, 'ROLE_UPDATED', { ...target(id), details: { name, permissions, ...changes } })
      return { ok: true }
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/api/v1/roles/:id',
    { config, ...operation('account', 'Delete a role: its users become `user`', { answer: DONE }) },
    async (request) => {
      const { id, name } = await deleteRole(accounts, request.caller, request.params.id)
      await audit(context, request, 'ROLE_DELETED', { ...target(id), details: { name } })
      return { ok: true }
    },
  )
}
