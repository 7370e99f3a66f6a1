import { boolean, text } from '../../tool/settings.ts'
import { COMMON_OPTIONS, type CommonOption } from '../input/common-options.ts'

/** Options of `mediaproc login`. */
export const LOGIN_SETTINGS = {
  apiKeyFile: text('file with an API key; - is standard input; without it, you sign in'),
  web: boolean(
    'sign in in a browser, of this or another machine; usual on a terminal if the server offers it, --no-web asks for a name and a password',
  ),
  keyring: boolean(
    'keep the key in the keyring of the system; usual with the engine pack keyring; --no-keyring keeps it in a file',
  ),
}

/** Options that login has in common with other commands. */
export const LOGIN_OPTIONS = {
  strict: { ...COMMON_OPTIONS.strict, help: 'a keyring that cannot be used is a failure; by default, a file is used' },
} as const satisfies Record<string, CommonOption>
