import { boolean, text } from '../../tool/settings.ts'

/** Options of `mediaproc login`. */
export const LOGIN_SETTINGS = {
  apiKeyFile: text('file with an API key; - is standard input; without it, you sign in'),
  web: boolean(
    'sign in in a browser, of this or another machine; usual on a terminal if the server offers it, --no-web asks for a name and a password',
  ),
}
