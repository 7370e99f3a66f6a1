import { shellQuote } from '../../../src/shell-quote.ts'
import { secretVariable } from './command.ts'
import { shellLines } from './quoting.ts'

export interface CurlParts {
  /** Full address of the route. */
  address: string
  /** The API key; the variable KEY by default. */
  key?: string
  files: readonly { field: string; name: string }[]
  settings: Readonly<Record<string, unknown>>
  /** Names of settings whose values are not shown. */
  secrets: ReadonlySet<string>
  /** The body is JSON, not a form. */
  isJson?: boolean
}

/** curl reads a quoted file name, so that `;` and `,` in it have no meaning. */
const filePart = ({ field, name }: CurlParts['files'][number]): string => {
  const isPlain = /^[\w.@%+=:/ -]+$/.test(name)
  return `-F ${shellQuote(isPlain ? `${field}=@${name}` : `${field}=@"${name.replace(/[\\"]/g, '\\$&')}"`)}`
}

/** A variable as the inside of a JSON string, by programs that every system has. */
const asJson = (variable: string): string => `"$(printf %s "$${variable}" | sed 's/[\\"]/\\\\&/g')"`

/**
 * Commands that print the settings with the values of variables. printf is part of the shell, so that the secrets are
 * not in the list of processes. Texts are escaped; lists and objects are JSON in their variables.
 */
function printedSettings({ settings, secrets }: CurlParts): string {
  const [words, variables]: [string[], string[]] = [[], []]
  let text = ''
  for (const [name, value] of Object.entries(settings)) {
    text += `${text || words.length > 0 ? ',' : '{'}${JSON.stringify(name)}:`
    if (!secrets.has(name)) {
      text += JSON.stringify(value)
      continue
    }
    const variable = secretVariable(name)
    const isText = typeof value === 'string'
    variables.push(`: "\${${variable}:?}"`)
    words.push(shellQuote(isText ? `${text}"` : text), isText ? asJson(variable) : `"$${variable}"`)
    text = isText ? '"' : ''
  }
  return [...variables, `printf %s ${[...words, shellQuote(`${text}}`)].join(' ')} |`].join(' && ')
}

/** The request as a curl command. `--form-string` keeps settings with `;` and `@` as they are. */
export function curlLine(parts: CurlParts): string {
  const { address, key, files, settings, secrets, isJson = false } = parts
  const json = JSON.stringify(settings)
  const header = key === undefined ? `-H "Authorization: Bearer $KEY"` : `-H 'Authorization: Bearer ${key}'`
  const hasSecrets = Object.keys(settings).some((name) => secrets.has(name))
  const ofSettings = hasSecrets
    ? [`-F 'settings=<-'`]
    : json === '{}'
      ? []
      : [`--form-string ${shellQuote(`settings=${json}`)}`]
  const body = isJson ? [`--json ${hasSecrets ? '@-' : shellQuote(json)}`] : [...files.map(filePart), ...ofSettings]
  return shellLines([...(hasSecrets ? [printedSettings(parts)] : []), 'curl', header, ...body, shellQuote(address)])
}

/** A request for each file of a tool that takes one. */
export function curlLines(parts: CurlParts, isJoined: boolean): string {
  const inputs = parts.files.filter(({ field }) => field === 'file')
  if (isJoined || inputs.length < 2) return curlLine(parts)
  const others = parts.files.filter(({ field }) => field !== 'file')
  return inputs.map((file) => curlLine({ ...parts, files: [file, ...others] })).join('\n')
}
