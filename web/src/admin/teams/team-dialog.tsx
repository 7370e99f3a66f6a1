import type { JSX } from 'preact'
import { call } from '../../api/call.ts'
import { may } from '../../api/session.ts'
import type { ListedUser, Team } from '../../api/types.ts'
import { announce } from '../../app/announce.ts'
import { fieldsOf, useWork } from '../../app/work.ts'
import { STRINGS } from '../../strings.ts'
import { Modal } from '../modal.tsx'
import { useSharedProof } from '../proof.ts'
import { TeamMembers } from './team-members.tsx'

const GB = 1_000_000_000

const numberOrNull = (text: string | undefined, factor = 1): number | null =>
  text ? Math.round(Number(text) * factor) : null

interface TeamDialogProps {
  /** Absent for a new one. */
  team?: Team
  people: readonly ListedUser[]
  onChange(): Promise<void>
  onClose(): void
}

/** Name, quota and retention of a team, its members, and its removal. */
export function TeamDialog({ team, people, onChange, onClose }: TeamDialogProps): JSX.Element {
  const { teams, users } = STRINGS.admin
  const work = useWork()
  const proof = useSharedProof()
  const path = team ? `api/v1/teams/${encodeURIComponent(team.id)}` : 'api/v1/teams'
  const save = (event: SubmitEvent): Promise<void> => {
    const { name = '', quota, retention } = fieldsOf(event)
    const storageQuota = numberOrNull(quota, GB)
    const body = {
      ...(name !== team?.name && { name }),
      ...(storageQuota !== (team?.storageQuota ?? null) && { storageQuota }),
      ...(numberOrNull(retention) !== (team?.retentionHours ?? null) && { retentionHours: numberOrNull(retention) }),
    }
    return work.run(() =>
      proof.guard(async () => {
        await call(path, { method: team ? 'PUT' : 'POST', body })
        announce(users.saved)
        await onChange()
        onClose()
      }),
    )
  }
  const remove = (): void => {
    if (!team || !confirm(teams.confirmRemove(team.name))) return
    work.run(() =>
      proof.guard(async () => {
        await call(path, { method: 'DELETE' })
        await onChange()
        onClose()
      }),
    )
  }
  return (
    <Modal title={team?.name ?? teams.create} onClose={onClose}>
      <form id="team" onSubmit={save}>
        <p class="alert" role="alert">
          {work.message}
        </p>
        <label>
          {teams.name}
          <input name="name" required maxLength={50} autocomplete="off" defaultValue={team?.name ?? ''} />
        </label>
        <div class="pair">
          <label>
            {teams.quota}
            <input
              name="quota"
              type="number"
              min={0.001}
              step="any"
              placeholder={teams.noLimit}
              defaultValue={team?.storageQuota ? String(team.storageQuota / GB) : ''}
            />
          </label>
          <label>
            {teams.retention}
            <input
              name="retention"
              type="number"
              min={1}
              max={1_000_000}
              placeholder={teams.asServer}
              defaultValue={team?.retentionHours ? String(team.retentionHours) : ''}
            />
          </label>
        </div>
        <div class="row">
          <button type="submit" disabled={work.isBusy}>
            {team ? users.save : teams.create}
          </button>
        </div>
      </form>
      {team && may('users:manage') && <TeamMembers team={team} people={people} onChange={onChange} />}
      {team && (
        <ul class="rows actions">
          <li>
            <span>{teams.removeHelp}</span>
            <button type="button" class="plain danger" disabled={work.isBusy} onClick={remove}>
              {users.remove}
            </button>
          </li>
        </ul>
      )}
    </Modal>
  )
}
