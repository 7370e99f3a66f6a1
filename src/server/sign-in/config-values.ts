import { type EnvironmentName, environmentText, environmentWord } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'

/** An error of the configuration. */
export const invalid = (message: string, hint = ''): MediaprocError =>
  new MediaprocError('INVALID_CONFIG', message, hint ? { hint } : {})

/** The server's public URL without a trailing slash; empty for none. */
export function externalUrl(): string {
  const text = environmentText('EXTERNAL_URL').replace(/\/+$/, '')
  if (text === '') return text
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw invalid(`Expected an address such as https://media.example for EXTERNAL_URL, got ${text}`)
  return text
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

/** A URL of the provider: TLS is required, except on this machine. @throws INVALID_CONFIG */
export function providerAddress(name: EnvironmentName): string {
  const text = environmentText(name)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (!isSafe) throw invalid(`Expected an https address for ${name}, got ${text}`)
  return text
}

/** @throws INVALID_CONFIG naming the missing variable */
export function requireAll(
  switchName: EnvironmentName,
  names: readonly EnvironmentName[],
  values: readonly string[],
): void {
  const missing = names.filter((_name, index) => values[index] === '')
  if (missing.length > 0) throw invalid(`${switchName} needs ${missing.join(', ')}`)
}

/** Maps groups of the provider to roles: a JSON object. @throws INVALID_CONFIG */
export function roleMapping(name: EnvironmentName): Record<string, string> {
  const text = environmentText(name)
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMapping || !Object.values(value as object).every((role) => typeof role === 'string'))
    throw invalid(`Expected a JSON object of groups and roles for ${name}, such as {"media-admins": "admin"}`)
  return value as Record<string, string>
}

/** Role of new users. @throws INVALID_CONFIG for the administrator role */
export function defaultRole(name: EnvironmentName): string {
  const role = environmentWord(name).toLowerCase()
  if (role !== 'admin') return role
  throw invalid(
    `${name} cannot be admin: anyone with an account there would administer the instance`,
    'The mapping of groups to roles can give it to a group.',
  )
}

/** Single sign-on opens connections, which MEDIAPROC_OFFLINE forbids. */
export function refuseOffline(name: EnvironmentName): void {
  if (environmentText('MEDIAPROC_OFFLINE') === '1')
    throw invalid(`${name} needs connections, and MEDIAPROC_OFFLINE forbids them`)
}
