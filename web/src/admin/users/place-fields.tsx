import type { JSX } from 'preact'
import { STRINGS } from '../../strings.ts'
import { roleName } from '../role-name.ts'
import type { Choices } from './choices.ts'

/** Of a new account. */
export const NEW_PLACE = { role: 'user', team: 'Default' }

interface PlaceFieldsProps {
  choices: Choices
  /** The present ones. */
  place: { role: string; team: string }
  /** The server refuses a change of the own role. */
  isRoleFixed?: boolean
}

/** Role and team of an account. */
export function PlaceFields({ choices, place, isRoleFixed = false }: PlaceFieldsProps): JSX.Element {
  const { role, team } = place
  const { users } = STRINGS.admin
  return (
    <div class="pair">
      <label>
        {users.role}
        <select name="role" disabled={isRoleFixed}>
          {choices.roles.map((name) => (
            <option key={name} value={name} selected={name === role}>
              {roleName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {users.team}
        <select name="team">
          {choices.teams.map((name) => (
            <option key={name} value={name} selected={name === team}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
