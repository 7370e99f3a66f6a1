import { randomBytes } from 'node:crypto'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import { USER_SETTINGS } from '../input/server-options.ts'
import type { Io } from '../output/io.ts'
import { table } from '../output/text.ts'

type Action = 'add' | 'list' | 'reset-password'
const ACTIONS: Readonly<Record<Action, number>> = { add: 1, list: 0, 'reset-password': 1 }

/** A password that meets the default policy: upper and lower case, a digit. */
const madeUp = (): string => `Aa1-${randomBytes(15).toString('base64url')}`

async function askPassword(io: Io): Promise<string | undefined> {
  if (!io.stdinIsTerminal || !io.stderrIsTerminal) return undefined
  const { password } = await import('@inquirer/prompts')
  const answer = await password({ message: 'Password (empty: generate one)', mask: true })
  return answer === '' ? undefined : answer
}

/** `mediaproc user add|list|reset-password`: works directly on the data folder, so the server must not be running. */
export async function userCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, values } = parseOwnOptions('user', args, USER_SETTINGS, 2)
  const [action = '', name] = operands
  if (!Object.hasOwn(ACTIONS, action) || operands.length - 1 !== ACTIONS[action as Action])
    throw new MediaprocError('USAGE', 'Expected add NAME, list or reset-password NAME', {
      hint: 'mediaproc user --help shows how it is used.',
    })
  const { readConfig } = await import('../../server/config.ts')
  const { openOperator } = await import('../../server/instance/offline-admin.ts')
  const operator = await openOperator(
    readConfig(values.data === undefined ? {} : { dataFolder: values.data }),
    // The first account can be created before the first start.
    { mayCreate: action === 'add' },
  )
  try {
    if (action === 'list') {
      const rows = (await operator.list()).map((user) => [user.username, user.role, user.team, user.createdAt])
      io.out(table(['NAME', 'ROLE', 'TEAM', 'SINCE'], rows))
      return EXIT.ok
    }
    const given = values.password ?? (await askPassword(io))
    const password = given ?? madeUp()
    if (action === 'add') await operator.add(name!, password, values.role)
    else await operator.resetPassword(name!, password)
    io.err(`mediaproc: ${name} must change the password at the first sign-in\n`)
    if (given === undefined) io.out(`${password}\n`)
    return EXIT.ok
  } finally {
    await operator.close()
  }
}
