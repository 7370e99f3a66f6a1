/** Roles: the built-in ones, and those that administrators make. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import { loadTools } from '../../api/tools.ts'
import type { GetRoles, Role } from '../../api/types.ts'
import { Icon } from '../../app/icons.tsx'
import { useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { ManagedRows } from '../managed-rows.tsx'
import { roleName } from '../role-name.ts'
import { RoleDialog } from './role-dialog.tsx'

function aboutTools({ toolPermissions }: Role): string {
  const { roles } = STRINGS.admin
  if (!toolPermissions) return roles.allTools
  const { mode, allowed } = toolPermissions
  if (mode === 'tool') return roles.someTools(allowed.length)
  return allowed.map((one) => roles.categories[one] ?? one).join(', ')
}

export function RolesPage(): JSX.Element {
  const { roles, parts } = STRINGS.admin
  const work = useWork()
  const list = useSignal<readonly Role[]>([])
  const opened = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    list.value = (await call<GetRoles>('api/v1/roles')).roles
  }
  useEffect(() => {
    work.run(async () => {
      await Promise.all([load(), loadTools()])
    })
  }, [])
  const mayEdit = may('security:manage')
  const shown = list.value.find(({ id }) => id === opened.value)
  const all = list.value.find(({ name }) => name === 'admin')?.permissions ?? []
  const close = (): void => {
    opened.value = undefined
  }
  return (
    <>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{parts.roles}</h1>
          <p class="faint">{roles.help}</p>
        </div>
        {mayEdit && (
          <button
            type="button"
            onClick={() => {
              opened.value = 'new'
            }}
          >
            <Icon name="plus" size={18} />
            {roles.create}
          </button>
        )}
      </div>
      <p class="alert" role="alert">
        {work.message}
      </p>
      <section class="card" aria-label={parts.roles}>
        <ManagedRows
          items={list.value}
          row={(role) => {
            const isFixed = role.isBuiltin || !mayEdit
            return {
              id: role.id,
              about: (
                <>
                  <strong>{roleName(role.name)}</strong>
                  {role.isBuiltin && <span class="badge">{roles.isBuiltIn}</span>}
                  <span class="faint small block">{role.description}</span>
                  <span class="faint small block">
                    {[roles.users(role.userCount), roles.count(role.permissions.length), aboutTools(role)].join(' · ')}
                  </span>
                </>
              ),
              action: isFixed ? roles.view : roles.edit,
              label: isFixed ? roles.viewOf(role.name) : roles.editOf(role.name),
            }
          }}
          onOpen={(id) => {
            opened.value = id
          }}
        />
      </section>
      {opened.value === 'new' && <RoleDialog permissions={all} onChange={load} onClose={close} />}
      {shown && <RoleDialog key={shown.id} role={shown} permissions={all} onChange={load} onClose={close} />}
    </>
  )
}
