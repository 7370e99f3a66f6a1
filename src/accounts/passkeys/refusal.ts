import { MediaprocError } from '../../errors.ts'
import type { UserRecord } from '../../store/records.ts'

/** Why a passkey was refused, for the audit log; clients receive one message for all. */
export type RefusalReason = 'challenge' | 'credential' | 'response' | 'counter'

/** A refused passkey, with what the audit log records. */
export class PasskeyRefused extends MediaprocError {
  readonly reason: RefusalReason
  /** The owner of the passkey, if known. */
  readonly user: Pick<UserRecord, 'id' | 'username'> | undefined

  constructor(reason: RefusalReason, user?: Pick<UserRecord, 'id' | 'username'>, cause?: unknown) {
    super('PASSKEY_REFUSED', undefined, { cause })
    this.reason = reason
    this.user = user
  }
}

export const refusal = (reason: RefusalReason, cause?: unknown): PasskeyRefused =>
  new PasskeyRefused(reason, undefined, cause)
