import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { Role } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Modal } from '../modal.tsx'
import { useSharedProof } from '../proof.ts'
import { roleName } from '../role-name.ts'
import { PermissionChoice } from './permission-choice.tsx'
import { ToolChoice } from './tool-choice.tsx'

interface RoleDialogProps {
  /** Absent for a new one. */
  role?: Role
  /** All permissions of the server. */
  permissions: readonly string[]
  onChange(): Promise<void>
  onClose(): void
}

/** A role: its name, what it may do, and with which tools. Built-in roles are only shown. */
export function RoleDialog({ role, permissions, onChange, onClose }: RoleDialogProps): JSX.Element {
  const { roles, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const held = useSignal<readonly string[]>(role?.permissions ?? ['tools:use', 'files:own'])
  const limits = useSignal<Role['toolPermissions']>(role?.toolPermissions ?? null)
  const isFixed = role?.isBuiltin === true || !may('security:manage')
  const path = role ? `api/v1/roles/${encodeURIComponent(role.id)}` : 'api/v1/roles'
  const save = (event: SubmitEvent): Promise<void> => {
    const { name, description } = fieldsOf(event)
    return work.run(() =>
      proof.guard(async () => {
        const body = { name, description, permissions: held.value, toolPermissions: limits.value }
        await call(path, { method: role ? 'PUT' : 'POST', body })
        announce(users.saved)
        await onChange()
        onClose()
      }),
    )
  }
  const remove = (): void => {
    if (!role || !confirm(roles.confirmRemove(role.name, role.userCount))) return
    work.run(() =>
      proof.guard(async () => {
        await call(path, { method: 'DELETE' })
        await onChange()
        onClose()
      }),
    )
  }
  return (
    <Modal title={role ? roleName(role.name) : roles.create} onClose={onClose}>
      {role?.isBuiltin && <p class="notice">{roles.fixed}</p>}
      <form id="role" onSubmit={save}>
        {!isFixed && (
          <>
            <label>
              {roles.name}
              <input
                name="name"
                required
                maxLength={30}
                autocomplete="off"
                autocapitalize="none"
                defaultValue={role?.name ?? ''}
                aria-describedby="role-name-help"
              />
              <span class="help" id="role-name-help">
                {roles.nameHelp}
              </span>
            </label>
            <label>
              {roles.description}
              <input name="description" maxLength={500} autocomplete="off" defaultValue={role?.description ?? ''} />
            </label>
          </>
        )}
        <PermissionChoice
          all={permissions}
          held={held.value}
          isFixed={isFixed}
          onChange={(next) => {
            held.value = next
          }}
        />
        <ToolChoice
          limits={limits.value}
          isFixed={isFixed}
          onChange={(next) => {
            limits.value = next
          }}
        />
        <p class="alert" role="alert">
          {work.message}
        </p>
        {!isFixed && (
          <div class="row apart">
            <button type="submit" disabled={work.isBusy}>
              {role ? users.save : roles.create}
            </button>
            {role && (
              <button type="button" class="plain danger" disabled={work.isBusy} onClick={remove}>
                {users.remove}
              </button>
            )}
          </div>
        )}
      </form>
    </Modal>
  )
}
