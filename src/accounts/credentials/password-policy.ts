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
 * Refuses a new password that breaks the server's rules (HTTP contract, section 4); reports the first broken rule.
 *
 * @param current the password to be replaced, if it is known
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
  // A lone surrogate is not a character: in UTF-8 all of them become the same replacement character.
  if (/[\p{Cc}\p{Cs}]/u.test(normal)) refuse('controlCharacter', 'The password holds a control character')
  if (Math.max(password.length, normal.length) > MAX_PASSWORD_LENGTH)
    refuse('maxLength', `The password is longer than ${MAX_PASSWORD_LENGTH} characters`)
  if (normal === current?.normalize('NFC')) refuse('reused', 'The new password is the same as the current one')
}
