import type { MachineRule } from '../../accounts/sso/machine-tokens.ts'
import { environmentNumber, environmentText } from '../../environment.ts'
import { invalid, isLoopback, refuseOffline } from './config-values.ts'

/** Configuration of tokens for programs. */
export interface MachineTokenConfig {
  rules: readonly MachineRule[]
  /** Lifetime of the keys that the server issues, in milliseconds. */
  lifetimeMs: number
}

const NAME = 'MACHINE_TOKEN_RULES'
const EXAMPLE =
  '[{"issuer":"https://token.actions.githubusercontent.com","audience":"https://media.example","claims":{"repository":"company/site"},"account":"ci"}]'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Checks a rule: it must name the audience and narrow the tokens down. @throws INVALID_CONFIG */
function checked(value: unknown, index: number): MachineRule {
  const { issuer, audience, claims, account, ...more } = (value ?? {}) as Record<string, unknown>
  const place = `${NAME}[${index}]`
  const unknown = Object.keys(more)
  if (unknown.length > 0) throw invalid(`${place} has an unknown field ${unknown.join(', ').slice(0, 100)}`)
  if (!isText(issuer) || !isText(audience) || !isText(account))
    throw invalid(`${place} needs issuer, audience, claims and account`, `For example ${EXAMPLE}`)
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLoopback(url.hostname)))
    throw invalid(`Expected an https address as the issuer of ${place}, got ${issuer.slice(0, 200)}`)
  const entries = typeof claims === 'object' && claims !== null && !Array.isArray(claims) ? Object.entries(claims) : []
  if (entries.length === 0 || entries.some(([, text]) => !isText(text) || text === '*'))
    throw invalid(`${place} needs claims with values: otherwise every user of the provider could get a token`)
  return { issuer, audience, account, claims: Object.fromEntries(entries) as Record<string, string> }
}

/** The rules for tokens of programs; undefined if there are none. @throws INVALID_CONFIG */
export function readMachineTokens(): MachineTokenConfig | undefined {
  const text = environmentText(NAME)
  if (text === '') return undefined
  let rules: unknown
  try {
    rules = JSON.parse(text)
  } catch {
    rules = undefined
  }
  if (!Array.isArray(rules) || rules.length === 0) throw invalid(`Expected a list of rules for ${NAME}`, EXAMPLE)
  refuseOffline(NAME)
  const lifetimeS = environmentNumber('MACHINE_TOKEN_LIFETIME_S')
  if (lifetimeS < 60 || lifetimeS > 3600) throw invalid('Expected 60 to 3600 seconds for MACHINE_TOKEN_LIFETIME_S')
  return { rules: rules.map(checked), lifetimeMs: lifetimeS * 1000 }
}
