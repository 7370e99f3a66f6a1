import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import type { ServerConfig } from '../../server/config.ts'
import type { Operator } from '../../server/instance/offline-admin.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { ADMIN_SETTINGS } from '../input/server-options.ts'
import type { Io } from '../output/io.ts'
import { qrText } from '../output/qr-text.ts'
import { table } from '../output/text.ts'

type Work = (operator: Operator, io: Io, operands: readonly string[]) => Promise<void>

const done = (io: Io, text: string): void => io.err(`mediaproc: ${text}\n`)

/** The subcommands, and their number of operands. */
const ACTIONS: Readonly<Record<string, readonly [operands: number, work: Work]>> = {
  'mfa-status': [
    0,
    async (operator, io) => {
      const rows = (await operator.list()).map((user) => [user.username, user.role, user.mfaEnabled ? 'on' : 'off'])
      io.out(table(['NAME', 'ROLE', 'MFA'], rows))
      io.out(`policy: ${await operator.mfaPolicy()}\n`)
    },
  ],
  'mfa-policy': [
    1,
    async (operator, io, [policy]) => {
      await operator.setMfaPolicy(policy!)
      done(io, `the policy is ${policy}`)
    },
  ],
  'mfa-enroll': [
    1,
    async (operator, io, [name]) => {
      const { uri, recoveryCodes } = await operator.enrollMfa(name!)
      io.out(`${await qrText(uri)}\n${uri}\n\n${recoveryCodes.join('\n')}\n`)
      done(io, `scan the code, keep the recovery codes, then: mediaproc admin mfa-verify ${name} CODE`)
    },
  ],
  'mfa-verify': [
    2,
    async (operator, io, [name, code]) => {
      await operator.verifyMfa(name!, code!)
      done(io, `${name} signs in with a code from now on`)
    },
  ],
  'mfa-disable': [
    1,
    async (operator, io, [name]) => {
      await operator.disableMfa(name!)
      done(io, `${name} can sign in without a second factor`)
    },
  ],
  'sso-off': [
    0,
    async (operator, io) => {
      await operator.removeSetting('ssoEnforcement')
      done(io, 'local passwords are accepted again')
    },
  ],
  'addresses-off': [
    0,
    async (operator, io) => {
      await operator.removeSetting('ipAllowList')
      done(io, 'requests from all addresses are accepted again')
    },
  ],
}

/**
 * `mediaproc admin audit verify [HASH]`: verifies that the audit log is unmodified. The server may be running.
 * @throws MediaprocError INVALID_FILE if it was modified
 */
async function verifyAudit(config: ServerConfig, knownHead: string | undefined, io: Io): Promise<void> {
  const { auditFindings, auditSummary, checkAuditOf } = await import('../../server/instance/audit-check.ts')
  const check = await checkAuditOf(config, knownHead)
  io.out(`${auditSummary(check).join('\n')}\n`)
  const findings = auditFindings(check)
  if (findings.length > 0)
    throw new MediaprocError('INVALID_FILE', `The audit log was modified:\n  ${findings.join('\n  ')}`)
  done(io, 'the audit log is intact')
}

/**
 * `mediaproc admin sso-check`: checks the configuration of single sign-on before anyone uses it. Needs no data folder.
 * @throws MediaprocError INVALID_CONFIG naming every problem
 */
async function checkSsoOf(config: ServerConfig, io: Io): Promise<void> {
  const { checkSso } = await import('../../server/sign-in/check-sso.ts')
  const findings = await checkSso(config)
  io.out(findings.map(({ label, text }) => `${label}: ${text}\n`).join(''))
  const problems = findings.flatMap(({ problem }) => problem ?? [])
  if (problems.length > 0)
    throw new MediaprocError('INVALID_CONFIG', `Single sign-on has problems:\n  ${problems.join('\n  ')}`)
  done(io, 'no problem was found; the names of the claims that arrive are in the log after a sign-in')
}

/**
 * `mediaproc admin …`: restores access, for operators who can write to the data folder. The server must not be running,
 * except for `audit`.
 */
export async function adminCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values } = parseOwnOptions('admin', args, ADMIN_SETTINGS, 3)
  const [word = '', ...others] = operands
  const { readConfig } = await import('../../server/config.ts')
  const given = values.data === undefined ? {} : { dataFolder: values.data }
  if (word === 'audit' && others[0] === 'verify') {
    await verifyAudit(readConfig(given), others[1], io)
    return EXIT.ok
  }
  if (word === 'sso-check' && others.length === 0) {
    await checkSsoOf(readConfig(given), io)
    return EXIT.ok
  }
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined
  if (!action || others.length !== action[0])
    throw new MediaprocError(
      'USAGE',
      'Expected mfa-status, mfa-policy WORD, mfa-enroll NAME, mfa-verify NAME CODE, mfa-disable NAME, sso-check, sso-off, addresses-off or audit verify',
      { hint: 'mediaproc admin --help shows how it is used.' },
    )
  const { openOperator } = await import('../../server/instance/offline-admin.ts')
  const operator = await openOperator(readConfig(given))
  try {
    await action[1](operator, io, others)
    return EXIT.ok
  } finally {
    await operator.close()
  }
}
