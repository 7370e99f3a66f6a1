import { MediaprocError } from '../../errors.ts'
import type { Repositories } from '../../store/repositories.ts'
import { settingFlag, settingNumber } from '../settings.ts'
import { MAX_PASSWORD_LENGTH } from './passwords.ts'

export type PasswordRule =
  | 'minLength'
  | 'uppercase'
  | 'lowercase'
  | 'digit'
  | 'special'
  | 'controlCharacter'
  | 'maxLength'
  | 'reused'

function refuse(rule: PasswordRule, message: string): never {
  throw new MediaprocError('VALIDATION_ERROR', message, { fields: { rule } })
}

/**
 * Refuses a new password that breaks the instance's rules (HTTP contract, section 4), the first broken one first.
 *
 * @param current the password that it takes the place of, when that is known
 * @throws VALIDATION_ERROR with the field `rule`
 */
export async function checkNewPassword(
  store: Pick<Repositories, 'settings'>,
  password: string,
  current?: string,
): Promise<void> {
  const normal = password.normalize('NFC')
  const shortest = Math.min(await settingNumber(store, 'passwordMinLength', 8), MAX_PASSWORD_LENGTH)
  const length = [...normal].length
  const needs = (name: string, fallback: boolean) => settingFlag(store, `passwordRequire${name}`, fallback)
  if (length < shortest) refuse('minLength', `The password has ${length} characters; at least ${shortest} are needed`)
  if ((await needs('Uppercase', true)) && !/\p{Lu}/u.test(normal))
    refuse('uppercase', 'The password needs a capital letter')
  if ((await needs('Lowercase', true)) && !/\p{Ll}/u.test(normal))
    refuse('lowercase', 'The password needs a small letter')
  if ((await needs('Digit', true)) && !/\p{Nd}/u.test(normal)) refuse('digit', 'The password needs a digit')
  if ((await needs('Special', false)) && !/[^\p{L}\p{N}]/u.test(normal))
    refuse('special', 'The password needs a character that is neither a letter nor a digit')
  // Half of a surrogate pair is no character: in UTF-8 all of them look the same.
  if (/[\p{Cc}\p{Cs}]/u.test(normal)) refuse('controlCharacter', 'The password holds a control character')
  if (Math.max(password.length, normal.length) > MAX_PASSWORD_LENGTH)
    refuse('maxLength', `The password is longer than ${MAX_PASSWORD_LENGTH} characters`)
  if (normal === current?.normalize('NFC')) refuse('reused', 'The new password is the same as the current one')
}
